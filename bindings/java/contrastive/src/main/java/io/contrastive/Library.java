package io.contrastive;

import java.nio.file.Path;

/** What concerns the library as a whole. */
public final class Library {
  private Library() {}

  /** The native library's version. {@link BuildInfo#get} tells more. */
  public static String version() {
    return Native.cs_version();
  }

  /**
   * Sets how many threads one call may compute with, for the whole process and for calls that start
   * later; 0 goes back to one for each processor. A training run is repeated bit by bit with the
   * same number.
   */
  public static void setThreads(int threads) {
    Native.cs_set_threads(threads);
  }

  /**
   * Names LibTorch's folder (the one that holds lib/libtorch_cpu.so, or lib itself) for the whole
   * process, before a call first needs it: training, CUDA, a task that trains, {@link
   * BuildInfo#get}. No other is taken then, and what is wrong with it is the error of that call.
   * The system property {@code contrastive.libtorch} does the same.
   *
   * @param folder {@code null} goes back to what the environment variable CONTRASTIVE_LIBTORCH
   *     says, and to the search
   * @throws ContrastiveException of kind STATE: LibTorch is loaded already
   */
  public static void setLibTorch(Path folder) {
    Native.cs_set_libtorch(folder == null ? null : folder.toString());
  }

  /** How many native objects exist in this process: a leak test compares it before and after. */
  public static long liveHandles() {
    return Native.cs_live_handles();
  }
}
