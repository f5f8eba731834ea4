package io.contrastive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A flag that cancels long calls. Pass it to calls and trigger it from any thread. It cannot be
 * reset: running calls that use it end soon and later ones at once, both with {@link
 * ContrastiveException.Kind#CANCELLED}. Any number of calls may share a flag. It does not need to
 * be closed.
 *
 * <p>Interrupting a thread cancels its call in the same way, without a flag.
 */
public final class Cancel {
  private final Set<CallScope> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean triggered;

  /** Creates a flag that is not triggered. */
  public Cancel() {}

  /** Triggers the flag, permanently. */
  public void trigger() {
    triggered = true;
    for (CallScope call : calls) call.raise();
  }

  /** Whether the flag was triggered. */
  public boolean isTriggered() {
    return triggered;
  }

  void join(CallScope call) {
    calls.add(call);
    if (triggered) call.raise(); // checked after the add, so no trigger is missed
  }

  void leave(CallScope call) {
    calls.remove(call);
  }
}
