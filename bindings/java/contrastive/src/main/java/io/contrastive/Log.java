package io.contrastive;

/** Where the library's messages go, for the whole process. Without a sink nothing is printed. */
public final class Log {
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

  /** Receives messages, from any thread, one at a time. It must not call the library, which answers BUSY meanwhile. */
  @FunctionalInterface
  public interface Sink {
    /** Takes a message. What it throws goes to the thread's uncaught-exception handler, and training goes on. */
    void accept(Level level, String message);
  }

  /** Sends messages of a level and above to a sink. */
  public static synchronized void setSink(Sink sink, Level lowest) {
    ContrastiveException.required(sink, "sink");
    clear();
    Log.sink = sink;
    Native.cs_log_start(lowest.ordinal());
  }

  /** Sends messages to the platform's logger "io.contrastive", and so to java.util.logging, SLF4J or whatever is configured. */
  public static void toSystemLogger(Level lowest) {
    System.Logger logger = System.getLogger("io.contrastive");
    setSink((level, message) -> logger.log(level.system, message), lowest);
  }

  /** Silence. When it returns, no call of the former sink is running. */
  public static synchronized void clear() {
    Native.cs_log_stop();
    sink = null;
  }

  /** What the JNI layer calls (jni/glue.cpp). Levels beyond those known here count as warnings. */
  static void deliver(int level, byte[] message) {
    Sink to = sink;
    if (to == null) return;
    try {
      to.accept(Level.values()[Math.min(level, Level.values().length - 1)], Utf8.decode(message));
    } catch (Throwable thrown) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
  }
}
