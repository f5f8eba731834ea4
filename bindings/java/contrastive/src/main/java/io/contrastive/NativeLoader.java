package io.contrastive;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds and loads libcontrastive and the JNI library.
 *
 * <p>It searches in this order: the system property {@code contrastive.library} (a folder, or the
 * file of libcontrastive), the environment variable CONTRASTIVE_LIBRARY (the same), the jar of
 * native libraries on the class or module path, the folder of this package's jar, the folders of
 * java.library.path, and finally, for libcontrastive only, the system loader's own search. If
 * nothing can be loaded, the error lists every place that was tried.
 *
 * <p>libcontrastive itself finds the training plugin and LibTorch when they are first needed. The
 * plugin is in libcontrastive's own folder. LibTorch is in the folder that the property {@code
 * contrastive.libtorch} or the environment variable CONTRASTIVE_LIBTORCH names (the folder that
 * contains lib/, or lib itself), or comes with contrastive-torch. Otherwise libcontrastive searches
 * for it.
 */
final class NativeLoader {
  private static final List<String> loaded = new ArrayList<>();
  private static final List<String> tried = new ArrayList<>();

  private NativeLoader() {}

  static List<String> loaded() {
    synchronized (loaded) {
      return List.copyOf(loaded);
    }
  }

  static void load() {
    synchronized (loaded) {
      Platform platform = Platform.current();
      try (NativeJar jar = new NativeJar(platform, tried)) {
        List<Path> places = places(jar);
        loadFirst(places, platform.library(), true);
        if (loadFirst(places, platform.jni(), false)) {
          checkAbi();
          if (!nameLibTorch()) useTorchJar(platform);
          return;
        }
      }
      throw new UnsatisfiedLinkError(message(platform));
    }
  }

  private static String message(Platform platform) {
    List<String> packaged = Platform.packaged(NativeLoader.class.getClassLoader());
    String found =
        packaged.isEmpty()
            ? " The class path has no native libraries: add the jar contrastive-natives, or"
                + " contrastive with the classifier "
                + platform.name()
            : packaged.contains(platform.name())
                ? " The class path has those of " + String.join(", ", packaged)
                : " The class path has those of "
                    + String.join(", ", packaged)
                    + " only: add the jar contrastive-natives, or contrastive with the classifier "
                    + platform.name();
    return "The native library of io.contrastive for "
        + platform.name()
        + " could not be loaded."
        + found
        + ". Or name the folder of "
        + platform.library()
        + " and "
        + platform.jni()
        + " in -Dcontrastive.library. Tried:\n  "
        + String.join("\n  ", tried);
  }

  /**
   * Checks that libcontrastive has the binary interface (ABI) that the JNI library was compiled
   * for.
   */
  private static void checkAbi() {
    int library = Native.cs_abi_version();
    int expected = Native.cs_header_abi_version();
    if (library == expected) return;
    throw new UnsatisfiedLinkError(
        "The libcontrastive that was loaded has binary interface "
            + library
            + "; this package was made for "
            + expected
            + ". Install the two in the same version. Loaded: "
            + String.join(", ", loaded));
  }

  /**
   * Sets LibTorch's folder from the system property, before the first call that needs it. Only this
   * folder is then used. If it is not usable, the call that needs it fails.
   *
   * @return whether the property or the environment variable names a folder
   */
  private static boolean nameLibTorch() {
    String folder = System.getProperty("contrastive.libtorch");
    if (folder == null || folder.isBlank()) {
      String variable = System.getenv("CONTRASTIVE_LIBTORCH");
      return variable != null && !variable.isBlank();
    }
    try {
      Native.cs_set_libtorch(folder);
      return true;
    } catch (ContrastiveException e) {
      // Another class loader's copy of this package may have come first, with the same property.
      if (e.kind() == ContrastiveException.Kind.STATE && isLoadedFrom(folder)) return true;
      throw new UnsatisfiedLinkError("-Dcontrastive.libtorch=" + folder + ": " + e.getMessage());
    }
  }

  /** Uses the LibTorch of contrastive-torch. Without it everything but training works. */
  private static void useTorchJar(Platform platform) {
    try {
      Path folder = TorchJar.unpack(platform);
      if (folder != null) Native.cs_set_libtorch(folder.toString());
    } catch (IOException | UnsatisfiedLinkError e) {
      System.getLogger("io.contrastive")
          .log(System.Logger.Level.WARNING, "the LibTorch of contrastive-torch is not usable", e);
    } catch (ContrastiveException e) {
      tried.add("the LibTorch of contrastive-torch: " + e.getMessage()); // one is loaded already
    }
  }

  private static boolean isLoadedFrom(String folder) {
    Path used = Path.of(BuildInfo.get().libtorchPath());
    for (String inside : List.of("", "lib", "torch/lib")) {
      try {
        if (Files.isSameFile(Path.of(folder, inside), used)) return true;
      } catch (IOException e) {
        tried.add("-Dcontrastive.libtorch: " + e);
      }
    }
    return false;
  }

  private static List<Path> places(NativeJar jar) {
    List<Path> places = new ArrayList<>();
    named(places, System.getProperty("contrastive.library"));
    named(places, System.getenv("CONTRASTIVE_LIBRARY"));
    if (jar.folder() != null) places.add(jar.folder());
    Path beside = folderOfThisJar();
    if (beside != null) places.add(beside);
    for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
      if (!folder.isEmpty()) places.add(Path.of(folder));
    }
    return places;
  }

  private static void named(List<Path> places, String path) {
    if (path == null || path.isBlank()) return;
    Path place = Path.of(path).toAbsolutePath();
    places.add(place);
    if (!Files.isDirectory(place)) places.add(place.getParent());
  }

  /**
   * Loads the first loadable file of this name. If a place is a file, it is libcontrastive itself.
   *
   * @return false if no file could be loaded
   */
  private static boolean loadFirst(List<Path> places, String name, boolean isLibrary) {
    for (Path place : places) {
      boolean file = Files.isRegularFile(place);
      if (file && !isLibrary) continue;
      if (load(file ? place : place.resolve(name))) return true;
    }
    return false;
  }

  private static boolean load(Path file) {
    if (!Files.isRegularFile(file)) {
      tried.add(file + ": no such file");
      return false;
    }
    try {
      System.load(file.toAbsolutePath().toString());
      loaded.add(file.toString());
      return true;
    } catch (UnsatisfiedLinkError e) {
      tried.add(e.getMessage() + hint(e.getMessage()));
      return false;
    }
  }

  private static String hint(String message) {
    if (message.contains("failed to map segment"))
      return " (is the temporary folder mounted noexec? name another in -Djava.io.tmpdir)";
    return "";
  }

  private static Path folderOfThisJar() {
    try {
      URI place = NativeLoader.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(place).toAbsolutePath().getParent();
    } catch (Exception e) {
      tried.add("the folder of the package's jar is not known: " + e);
      return null;
    }
  }
}
