package io.contrastive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Loads LibTorch before libcontrastive, which then finds it loaded. */
final class TorchLoader {
  private TorchLoader() {}

  /**
   * LibTorch where the user says it is: the property before the variable. Another one in its place would be a surprise, so a name that leads to none
   * is an error.
   *
   * @return whether one was named, and so loaded
   */
  static boolean named(List<String> loaded) {
    String property = System.getProperty("contrastive.libtorch");
    if (property != null && !property.isBlank()) {
      load("-Dcontrastive.libtorch=" + property, property, loaded);
      return true;
    }
    String variable = System.getenv("CONTRASTIVE_LIBTORCH");
    if (variable == null || variable.isBlank()) return false;
    load("CONTRASTIVE_LIBTORCH=" + variable, variable, loaded);
    return true;
  }

  private static void load(String who, String folder, List<String> loaded) {
    List<String> missing = new ArrayList<>();
    String reason;
    try {
      if (load(Path.of(folder), missing, loaded)) return;
      reason = missing.get(missing.size() - 1);
    } catch (InvalidPathException e) {
      reason = e.getMessage();
    }
    throw new UnsatisfiedLinkError(who + " names no LibTorch that can be loaded (" + reason + "). Name the folder that holds lib/libc10.so and "
        + "lib/libtorch_cpu.so, or the lib folder itself; or name none, and LibTorch is looked for where libcontrastive and packaging/bootstrap.sh "
        + "put it.");
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
