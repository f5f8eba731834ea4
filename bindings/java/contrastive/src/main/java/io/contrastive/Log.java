package io.contrastive;

/**
 * Receives the library's log messages, for the whole process. Without a sink nothing is printed.
 */
public final class Log {
  private static final ThreadLocal<Boolean> INSIDE =
      new ThreadLocal<>(); // set while this thread runs the sink
  private static volatile Sink sink;

  private Log() {}

  /** How important a message is. */
  public enum Level {
    /** Details for debugging. */
    DEBUG(System.Logger.Level.DEBUG),
    /** Normal events. */
    INFO(System.Logger.Level.INFO),
    /** Something is probably not as intended. */
    WARNING(System.Logger.Level.WARNING);

    private final System.Logger.Level system;

    Level(System.Logger.Level system) {
      this.system = system;
    }
  }

  /**
   * Receives log messages. It may be called from any thread, but not concurrently. It must not call
   * the library or this class; such calls fail with {@link ContrastiveException.Kind#BUSY}.
   */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives a message. Exceptions go to the thread's uncaught-exception handler; the library's
     * call continues.
     */
    void accept(Level level, String message);
  }

  /**
   * Sends messages of a level and above to a sink. It replaces the previous sink; when this method
   * returns, no call of the previous sink is running.
   */
  public static void setSink(Sink sink, Level lowest) {
    ContrastiveException.required(sink, "sink");
    ContrastiveException.required(lowest, "lowest");
    refuseInsideASink();
    synchronized (Log.class) {
      clear();
      Log.sink = sink;
      Native.cs_log_start(lowest.ordinal());
    }
  }

  /**
   * Sends messages to the platform's logger "io.contrastive", and so to java.util.logging, SLF4J or
   * the configured logging system.
   */
  public static void toSystemLogger(Level lowest) {
    ContrastiveException.required(lowest, "lowest");
    System.Logger logger = System.getLogger("io.contrastive");
    setSink((level, message) -> logger.log(level.system, message), lowest);
  }

  /** Removes the sink. When this method returns, no call of the sink is running. */
  public static void clear() {
    refuseInsideASink();
    synchronized (Log.class) {
      Native.cs_log_stop();
      sink = null;
    }
  }

  /**
   * Throws BUSY inside a sink. A thread that holds the lock waits for the running sink to return,
   * so a sink that waited for the lock would deadlock.
   */
  private static void refuseInsideASink() {
    if (INSIDE.get() == null) return;
    throw ContrastiveException.of(
        ContrastiveException.Kind.BUSY,
        "a log sink cannot replace or clear itself: do that when it has returned",
        null);
  }

  /** Called by the JNI layer (jni/glue.cpp). Unknown higher levels are treated as warnings. */
  static void deliver(int level, byte[] message) {
    Sink to = sink;
    if (to == null) return;
    INSIDE.set(true);
    try {
      to.accept(Level.values()[Math.min(level, Level.values().length - 1)], Utf8.decode(message));
    } catch (Throwable thrown) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } finally {
      INSIDE.remove();
    }
  }
}
