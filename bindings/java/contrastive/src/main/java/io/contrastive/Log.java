package io.contrastive;

/** Where the library's messages go, for the whole process. Without a sink nothing is printed. */
public final class Log {
  private static final ThreadLocal<Boolean> INSIDE =
      new ThreadLocal<>(); // set while this thread runs the sink
  private static volatile Sink sink;

  private Log() {}

  /** How important a message is. */
  public enum Level {
    /** For finding out what goes on. */
    DEBUG(System.Logger.Level.DEBUG),
    /** Worth knowing. */
    INFO(System.Logger.Level.INFO),
    /** Probably not as intended. */
    WARNING(System.Logger.Level.WARNING);

    private final System.Logger.Level system;

    Level(System.Logger.Level system) {
      this.system = system;
    }
  }

  /**
   * Receives messages, from any thread, one at a time. It must not call the library, nor this
   * class: it is answered {@link ContrastiveException.Kind#BUSY}.
   */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes a message. What it throws goes to the thread's uncaught-exception handler, and training
     * goes on.
     */
    void accept(Level level, String message);
  }

  /**
   * Sends messages of a level and above to a sink, in the place of the former one, of which no call
   * is running when this returns.
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
   * whatever is configured.
   */
  public static void toSystemLogger(Level lowest) {
    ContrastiveException.required(lowest, "lowest");
    System.Logger logger = System.getLogger("io.contrastive");
    setSink((level, message) -> logger.log(level.system, message), lowest);
  }

  /** Silence. When it returns, no call of the former sink is running. */
  public static void clear() {
    refuseInsideASink();
    synchronized (Log.class) {
      Native.cs_log_stop();
      sink = null;
    }
  }

  /**
   * Whoever holds the lock waits for the sink that is running: that sink must be told so before it
   * asks for the lock.
   */
  private static void refuseInsideASink() {
    if (INSIDE.get() == null) return;
    throw ContrastiveException.of(
        ContrastiveException.Kind.BUSY,
        "a log sink cannot replace or clear itself: do that when it has returned",
        null);
  }

  /** What the JNI layer calls (jni/glue.cpp). Levels beyond those known here count as warnings. */
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
