package io.contrastive;

import java.util.List;
import java.util.Map;

/**
 * Information about the loaded library: versions, CPU and CUDA support, and where its files were
 * found. Print it first when something does not work. {@link #get} loads the training plugin and
 * LibTorch if they are installed.
 *
 * @param version the version of the native library
 * @param abi the number of its binary interface
 * @param libtorch the version of LibTorch; "" if training is not installed
 * @param libtorchPath the folder of LibTorch; "" if training is not installed
 * @param libtorchReason why training is not available, if it is not
 * @param cpu the instruction set that encoding uses
 * @param threads the number of threads that one call uses
 * @param cudaDevices the number of usable CUDA devices
 * @param cudaReason why no CUDA device is usable, if none is
 * @param loaded the native files that this package has loaded, in order
 * @param json all information as JSON
 */
public record BuildInfo(
    String version,
    int abi,
    String libtorch,
    String libtorchPath,
    String libtorchReason,
    String cpu,
    int threads,
    int cudaDevices,
    String cudaReason,
    List<String> loaded,
    String json) {
  /** Returns the information. The first call may load LibTorch. */
  public static BuildInfo get() {
    String json = Native.cs_build_info();
    Map<String, Object> info = Json.object(json);
    Map<?, ?> cuda = (Map<?, ?>) info.get("cuda");
    return new BuildInfo(
        (String) info.get("version"),
        number(info.get("abi")),
        (String) info.get("libtorch"),
        (String) info.get("libtorch_path"),
        (String) info.get("libtorch_reason"),
        (String) info.get("cpu"),
        number(info.get("threads")),
        number(cuda.get("devices")),
        (String) cuda.get("reason"),
        NativeLoader.loaded(),
        json);
  }

  private static int number(Object value) {
    return ((Double) value).intValue();
  }
}
