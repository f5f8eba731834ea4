package io.contrastive;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends running calls when the virtual machine shuts down, before LibTorch is unloaded. Running
 * calls have one second to finish, so that servers can finish their responses. Then they are
 * cancelled and get one more second to end. Calls that begin later are not cancelled here, because
 * other shutdown hooks may need them. If one still runs when the process calls exit(),
 * libcontrastive itself cancels it.
 */
final class Shutdown {
  private static final long GRACE = 1000, PATIENCE = 1000; // milliseconds

  /**
   * The virtual machine normally ends during this sleep. Other hooks may delay its end and wait for
   * the thread, so the sleep is limited.
   */
  private static final long LONGEST_SLEEP = 10_000;

  private static final Set<CallScope> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Shutdown::endCalls, "contrastive-shutdown"));
    } catch (IllegalStateException e) {
      // The virtual machine is already shutting down.
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
   * Called by the thread of a call that the shutdown has cancelled, so that its exception does not
   * become visible before the process ends. An interrupt ends the sleep.
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

  /**
   * Waits until none of the calls is running.
   *
   * @return false if the time ran out first
   */
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
