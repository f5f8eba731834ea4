package io.contrastive;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds and loads libcontrastive and the JNI library, and LibTorch before them where it is named.
 *
 * <p>Places, in this order: the system property {@code contrastive.library} (a folder, or the file of libcontrastive), the environment variable
 * CONTRASTIVE_LIBRARY (the same), the natives' jar on the class or module path, the folder of this package's jar, the folders of java.library.path,
 * and for libcontrastive at last the system's own search. LibTorch is loaded first from the property {@code contrastive.libtorch}, else from the
 * environment variable CONTRASTIVE_LIBTORCH (the folder that holds lib/, or lib itself; a name that leads to none is an error); where neither is
 * set by libcontrastive's own search path, else from where packaging/bootstrap.sh put it. What fails is told with every place that was tried.
 */
final class NativeLoader {
  private static final String JNI = "libcontrastive_java.so";
  private static final String LIBRARY = "libcontrastive.so.0";  // its SONAME: the JNI library finds it loaded by this name
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
      String platform = platform();
      boolean torch = TorchLoader.named(loaded);
      try (NativeJar jar = new NativeJar(platform, tried)) {
        List<Path> places = places(jar);
        boolean library = loadFirst(places, LIBRARY);
        if (!library && !torch && TorchLoader.cached(tried, loaded)) loadFirst(places, LIBRARY);
        if (loadFirst(places, JNI)) {
          checkAbi();
          return;
        }
      }
      throw new UnsatisfiedLinkError("The native library of io.contrastive could not be loaded. Add the jar contrastive-<version>-" + platform
          + " to the class path, or name the folder of " + LIBRARY + " and " + JNI + " in -Dcontrastive.library; and LibTorch's in "
          + "-Dcontrastive.libtorch or CONTRASTIVE_LIBTORCH. Tried:\n  " + String.join("\n  ", tried));
    }
  }

  /** The JNI library was compiled with a header of one binary interface; which libcontrastive it meets is known only here. */
  private static void checkAbi() {
    int library = Native.cs_abi_version();
    int expected = Native.cs_header_abi_version();
    if (library == expected) return;
    throw new UnsatisfiedLinkError("The libcontrastive that was loaded has binary interface " + library + "; this package was made for " + expected
        + ". Install the two in the same version. Loaded: " + String.join(", ", loaded));
  }

  private static List<Path> places(NativeJar jar) {
    List<Path> places = new ArrayList<>();
    named(places, System.getProperty("contrastive.library"));
    named(places, System.getenv("CONTRASTIVE_LIBRARY"));
    if (jar.folder() != null) places.add(jar.folder());
    Path beside = folderOfThisJar();
    if (beside != null) places.add(beside);
    for (String folder : System.getProperty("java.library.path", "").split(":")) {
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

  /** Loads the first file of this name that can be; false where none can. A place that is a file stands for libcontrastive itself. */
  private static boolean loadFirst(List<Path> places, String name) {
    for (Path place : places) {
      boolean file = Files.isRegularFile(place);
      if (file && !name.equals(LIBRARY)) continue;
      if (load(file ? place : place.resolve(name), tried, loaded)) return true;
    }
    return false;
  }

  static boolean load(Path file, List<String> tried, List<String> loaded) {
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
    if (message.contains("failed to map segment")) return " (is the temporary folder mounted noexec? name another in -Djava.io.tmpdir)";
    if (message.contains("libtorch") || message.contains("libc10")) return " (LibTorch was not found: name its folder in -Dcontrastive.libtorch)";
    return "";
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch");
    if (!system.equals("linux") || !(machine.equals("amd64") || machine.equals("x86_64"))) {
      throw new UnsatisfiedLinkError("io.contrastive runs on Linux on x86_64, not on " + system + " on " + machine);
    }
    try {
      if (Files.exists(Path.of("/proc/self/maps")) && Files.readString(Path.of("/proc/self/maps")).contains("/ld-musl-")) {
        throw new UnsatisfiedLinkError("this Java runs on musl, for which there is no LibTorch: use a distribution with glibc");
      }
    } catch (IOException e) {
      tried.add("/proc/self/maps cannot be read (" + e.getMessage() + "): whether this is musl is not known");
    }
    return "linux-x86_64";
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

  /** The natives of the jar, unpacked for as long as it takes to load them: a loaded library needs its file no more. */
  private static final class NativeJar implements AutoCloseable {
    private Path folder;

    NativeJar(String platform, List<String> tried) {
      String resources = "io/contrastive/native/" + platform + "/";
      ClassLoader loader = NativeLoader.class.getClassLoader();  // it sees the natives' jar on the module path too, Class.getResource does not
      try {
        for (String name : List.of(LIBRARY, JNI)) {
          try (InputStream in = loader.getResourceAsStream(resources + name)) {
            if (in == null) {
              tried.add("class path: no resource " + resources + name);
              continue;
            }
            if (folder == null) folder = Files.createTempDirectory("contrastive-");
            Files.copy(in, folder.resolve(name));
          }
        }
      } catch (IOException e) {
        tried.add("unpacking the natives into " + System.getProperty("java.io.tmpdir") + ": " + e);
      }
    }

    Path folder() {
      return folder;
    }

    @Override
    public void close() {
      if (folder == null) return;
      try {
        for (String name : List.of(LIBRARY, JNI)) Files.deleteIfExists(folder.resolve(name));
        Files.deleteIfExists(folder);
      } catch (IOException e) {
        folder.toFile().deleteOnExit();
      }
    }
  }
}
