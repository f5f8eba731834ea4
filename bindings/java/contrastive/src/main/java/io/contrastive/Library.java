package io.contrastive;

/** What concerns the library as a whole. */
public final class Library {
  private Library() {}

  /** The native library's version. {@link BuildInfo#get} tells more. */
  public static String version() {
    return Native.cs_version();
  }

  /**
   * Sets how many threads one call may compute with, for the whole process and for calls that start later; 0 goes back to one for each processor.
   * A training run is repeated bit by bit with the same number.
   */
  public static void setThreads(int threads) {
    Native.cs_set_threads(threads);
  }

  /** How many native objects exist in this process: a leak test compares it before and after. */
  public static long liveHandles() {
    return Native.cs_live_handles();
  }
}
