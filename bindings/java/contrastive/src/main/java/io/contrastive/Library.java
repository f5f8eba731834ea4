package io.contrastive;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Version and process-wide settings of the library. */
public final class Library {
  private Library() {}

  /** The version of the native library. {@link BuildInfo#get} returns more details. */
  public static String version() {
    return Native.cs_version();
  }

  /**
   * Sets the maximum number of threads of one call, for the whole process and for calls that start
   * later. 0 restores the default, one thread per processor. A training run is reproducible bit by
   * bit only with the same number of threads.
   */
  public static void setThreads(int threads) {
    Native.cs_set_threads(threads);
  }

  /**
   * Sets LibTorch's folder (the one that contains lib/libtorch_cpu.so, or lib itself) for the whole
   * process. Call it before the first call that needs LibTorch: training, CUDA, a task that trains,
   * {@link BuildInfo#get}. Only this folder is then used. If it is not usable, the call that needs
   * it fails. The system property {@code contrastive.libtorch} does the same.
   *
   * @param folder {@code null} restores the default: the environment variable CONTRASTIVE_LIBTORCH,
   *     or the search
   * @throws ContrastiveException of kind STATE if LibTorch is already loaded
   */
  public static void setLibTorch(@Nullable Path folder) {
    Native.cs_set_libtorch(folder == null ? null : folder.toString());
  }

  /** The number of native objects in this process. A leak test compares it before and after. */
  public static long liveHandles() {
    return Native.cs_live_handles();
  }
}
