package io.contrastive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Loads LibTorch before libcontrastive, which then finds it loaded. */
final class TorchLoader {
  private TorchLoader() {}

  /** LibTorch where the user says it is. @return whether it was loaded */
  static boolean named(List<String> tried, List<String> loaded) {
    for (String place : new String[] {System.getProperty("contrastive.libtorch"), System.getenv("CONTRASTIVE_LIBTORCH")}) {
      if (place != null && !place.isBlank() && load(Path.of(place), tried, loaded)) return true;
    }
    return false;
  }

  /** LibTorch where packaging/bootstrap.sh puts it. */
  static boolean cached(List<String> tried, List<String> loaded) {
    Path cache = cache();
    if (!Files.isDirectory(cache)) {
      tried.add(cache + ": no such folder");
      return false;
    }
    try (DirectoryStream<Path> versions = Files.newDirectoryStream(cache, "libtorch-*")) {
      for (Path version : versions) {
        if (load(version.resolve("torch"), tried, loaded)) return true;
      }
    } catch (IOException e) {
      tried.add(cache + ": " + e);
    }
    return false;
  }

  private static Path cache() {
    String own = System.getenv("CONTRASTIVE_DEPS");
    if (own != null && !own.isBlank()) return Path.of(own);
    String base = System.getenv("XDG_CACHE_HOME");
    return (base != null && !base.isBlank() ? Path.of(base) : Path.of(System.getProperty("user.home"), ".cache")).resolve("libcontrastive");
  }

  private static boolean load(Path folder, List<String> tried, List<String> loaded) {
    Path libraries = Files.isDirectory(folder.resolve("lib")) ? folder.resolve("lib") : folder;
    List<String> done = new ArrayList<>();
    for (String name : new String[] {"libc10.so", "libtorch_cpu.so"}) {
      if (!NativeLoader.load(libraries.resolve(name), tried, done)) return false;
    }
    loaded.addAll(done);
    return true;
  }
}
