package io.contrastive;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends calls when the virtual machine shuts down, before LibTorch goes. Calls that are running then
 * have one second to finish, so that servers can answer what they have begun. Then they are
 * cancelled, and another second is given to them. Calls that begin later are left alone, because
 * other shutdown hooks may need them. If one of these still runs when the process calls exit(),
 * libcontrastive itself cancels it.
 */
final class Shutdown {
  private static final long GRACE = 1000, PATIENCE = 1000; // milliseconds

  /**
   * The virtual machine is gone by then, unless other hooks keep it. They may wait for the thread,
   * so it does not sleep for ever.
   */
  private static final long LONGEST_SLEEP = 10_000;

  private static final Set<CallScope> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Shutdown::endCalls, "contrastive-shutdown"));
    } catch (IllegalStateException e) {
      // It shuts down already.
    }
  }

  private Shutdown() {}

  static void join(CallScope call) {
    RUNNING.add(call);
  }

  static void leave(CallScope call) {
    RUNNING.remove(call);
  }

  /**
   * For the thread of a call that the shutdown has cancelled. Nobody has to see an exception of it.
   * An interrupt ends the sleep.
   */
  static void sleep() {
    try {
      Thread.sleep(LONGEST_SLEEP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void endCalls() {
    List<CallScope> calls = List.copyOf(RUNNING);
    if (await(calls, GRACE)) return;
    for (CallScope call : calls) call.shutDown();
    await(calls, PATIENCE);
  }

  /** Waits until none of the calls is running. @return false where the time was over before */
  private static boolean await(List<CallScope> calls, long milliseconds) {
    long end = System.nanoTime() + milliseconds * 1_000_000;
    while (calls.stream().anyMatch(RUNNING::contains)) {
      if (System.nanoTime() - end > 0) return false;
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        return false;
      }
    }
    return true;
  }
}
