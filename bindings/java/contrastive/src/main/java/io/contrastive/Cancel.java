package io.contrastive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A flag that stops long calls: pass it to them, raise it from any thread. It stays raised: calls
 * that hold it end soon, later ones at once, both with {@link ContrastiveException.Kind#CANCELLED}.
 * It needs no closing, and any number of calls may share it.
 *
 * <p>Interrupting a thread stops its call in the same way, without a flag.
 */
public final class Cancel {
  private final Set<CallScope> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean triggered;

  /** A flag that is not raised. */
  public Cancel() {}

  /** Raises the flag, for good. */
  public void trigger() {
    triggered = true;
    for (CallScope call : calls) call.raise();
  }

  /** Whether the flag was raised. */
  public boolean isTriggered() {
    return triggered;
  }

  void join(CallScope call) {
    calls.add(call);
    if (triggered) call.raise(); // after the add: a trigger in between is seen by one of the two
  }

  void leave(CallScope call) {
    calls.remove(call);
  }
}
