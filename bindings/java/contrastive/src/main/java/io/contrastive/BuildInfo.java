package io.contrastive;

import java.util.List;
import java.util.Map;

/**
 * What the library is made of and where it was found: the first thing to print when something does
 * not work. Asking loads the part that trains, and LibTorch, where they are installed.
 *
 * @param version of the native library
 * @param abi number of its binary interface
 * @param libtorch version of LibTorch; "" where training is not installed
 * @param libtorchPath folder of LibTorch; "" likewise
 * @param libtorchReason why there is no training, if so
 * @param cpu the instruction set that encoding uses
 * @param threads how many one call computes with
 * @param cudaDevices how many CUDA devices can be used
 * @param cudaReason why none can, if so
 * @param loaded the native files that this package has loaded, in order
 * @param json everything that the library says of itself
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
  /** Asks the library. */
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
