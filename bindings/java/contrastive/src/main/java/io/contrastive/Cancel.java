package io.contrastive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A flag that cancels long calls, and that can report their progress. Pass it to calls and trigger
 * it from any thread. It cannot be reset: running calls that use it end soon and later ones at
 * once, both with {@link ContrastiveException.Kind#CANCELLED}. Any number of calls may share a
 * flag. It does not need to be closed.
 *
 * <p>Interrupting a thread cancels its call in the same way, without a flag.
 */
public final class Cancel {
  private final Set<CallScope> calls = ConcurrentHashMap.newKeySet();
  private final @Nullable Progress progress;
  private volatile boolean triggered;

  /** Creates a flag that is not triggered. */
  public Cancel() {
    this.progress = null;
  }

  /**
   * Creates a flag that is not triggered, and a listener of all calls that use it. Calls that run
   * at once call the listener at once, each on its own thread.
   */
  public Cancel(Progress progress) {
    this.progress = ContrastiveException.required(progress, "progress");
  }

  /** Triggers the flag, permanently. */
  public void trigger() {
    triggered = true;
    for (CallScope call : calls) call.raise();
  }

  /** Whether the flag was triggered. */
  public boolean isTriggered() {
    return triggered;
  }

  @Nullable Progress progress() {
    return progress;
  }

  @Override
  public String toString() {
    return triggered ? "Cancel[triggered]" : "Cancel[not triggered]";
  }

  void join(CallScope call) {
    calls.add(call);
    if (triggered) call.raise(); // checked after the add, so no trigger is missed
  }

  void leave(CallScope call) {
    calls.remove(call);
  }
}
