package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each way to find the natives, in a Java process of its own; and what is said when there is none. */
class NativeLoaderTest {
  private static final Path NATIVES = Path.of(System.getProperty("contrastive.library"));
  private static final Path CLASSES = Path.of(NativeLoader.class.getProtectionDomain().getCodeSource().getLocation().getPath());
  private static final Path TESTS = Path.of(NativeLoaderTest.class.getProtectionDomain().getCodeSource().getLocation().getPath());

  @TempDir Path folder;
  private Path copy;  // of the classes, so that nothing lies beside them

  /** What the processes run. */
  public static final class Main {
    public static void main(String[] arguments) {
      try {
        System.out.println("loaded " + BuildInfo.get().loaded());
      } catch (Throwable first) {
        System.out.println("failed " + first.getMessage());
        try {
          Library.version();
        } catch (Throwable second) {
          System.out.println("again " + second + " / " + second.getCause());
        }
      }
    }
  }

  private record Outcome(int exit, String output) {}

  @BeforeEach
  void copyClasses() throws IOException {
    copy = Files.createDirectories(folder.resolve("app/classes"));
    for (Path root : new Path[] {CLASSES, TESTS}) {
      try (var files = Files.walk(root)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
          Path target = copy.resolve(root.relativize(file).toString());
          Files.createDirectories(target.getParent());
          Files.copy(file, target);
        }
      }
    }
  }

  private Outcome java(String classPath, String variable, String... options) throws IOException, InterruptedException {
    return java(Map.of(), classPath, variable, options);
  }

  private Outcome java(Map<String, String> environment, String classPath, String variable, String... options) throws IOException,
      InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xint"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", copy + classPath, "io.contrastive.NativeLoaderTest$Main"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("CONTRASTIVE_LIBRARY", "CONTRASTIVE_LIBTORCH"));
    if (variable != null) builder.environment().put("CONTRASTIVE_LIBRARY", variable);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  private static void loads(Outcome outcome, String from) {
    assertEquals(0, outcome.exit, outcome.output);
    assertTrue(outcome.output.contains("loaded [") && outcome.output.contains(from), outcome.output);
    assertTrue(outcome.output.contains("libcontrastive_java.so]"), outcome.output);
  }

  @Test
  void fromAPropertyOrAVariable() throws Exception {
    loads(java("", null, "-Dcontrastive.library=" + NATIVES), NATIVES + "/libcontrastive.so.0");
    loads(java("", NATIVES + "/libcontrastive.so.0"), NATIVES + "/libcontrastive.so.0");
  }

  @Test
  void fromAJarLeavingNothingBehind() throws Exception {
    Path jar = folder.resolve("natives.jar");
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
      for (String name : List.of("libcontrastive.so.0", "libcontrastive_java.so")) {
        out.putNextEntry(new ZipEntry("io/contrastive/native/linux-x86_64/" + name));
        Files.copy(NATIVES.resolve(name), out);
      }
    }
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    loads(java(":" + jar, null, "-Djava.io.tmpdir=" + temporary), temporary.toString());
    try (var left = Files.list(temporary)) {
      assertEquals(List.of(), left.filter(path -> path.getFileName().toString().startsWith("contrastive-")).toList());
    }
  }

  @Test
  void fromBesideTheClassesOrTheLibraryPath() throws Exception {
    loads(java("", null, "-Djava.library.path=" + folder + "/none:" + NATIVES), NATIVES.toString());
    for (String name : List.of("libcontrastive.so.0", "libcontrastive_java.so")) Files.copy(NATIVES.resolve(name), copy.getParent().resolve(name));
    loads(java("", null), copy.getParent().toString());
  }

  @Test
  void aLibraryOfAnotherInterfaceIsRefused() throws Exception {
    Path source = Files.writeString(folder.resolve("other.c"), "int cs_abi_version(void) { return 77; }\n");
    Path other = folder.resolve("other.so");
    assertEquals(0, new ProcessBuilder("cc", "-shared", "-fPIC", "-o", other.toString(), source.toString()).inheritIO().start().waitFor());
    Outcome outcome = java(Map.of("LD_PRELOAD", other.toString()), "", null, "-Dcontrastive.library=" + NATIVES);
    assertTrue(outcome.output.contains("failed The libcontrastive that was loaded has binary interface 77; this package was made for 0"),
        outcome.output);
  }

  /** The folder that holds lib/ of the LibTorch that this process has loaded. */
  private static Path torch() {
    Path place = Path.of(BuildInfo.get().libtorchPath());
    return Files.isDirectory(place.resolve("lib")) ? place : place.getParent();
  }

  @Test
  void aNameOfNoLibTorchIsAnErrorThoughAnotherWouldLoad() throws Exception {
    String library = "-Dcontrastive.library=" + NATIVES;
    String nowhere = folder.resolve("no torch").toString();
    Outcome property = java("", null, library, "-Dcontrastive.libtorch=" + nowhere);
    assertTrue(property.output.contains("failed -Dcontrastive.libtorch=" + nowhere + " names no LibTorch that can be loaded (" + nowhere
        + "/libc10.so: no such file)"), property.output);
    assertTrue(property.output.contains("Name the folder that holds lib/libc10.so"), property.output);
    Outcome variable = java(Map.of("CONTRASTIVE_LIBTORCH", nowhere), "", null, library);
    assertTrue(variable.output.contains("failed CONTRASTIVE_LIBTORCH=" + nowhere + " names no LibTorch"), variable.output);
    Path half = Files.createDirectories(folder.resolve("half/lib"));
    Files.createSymbolicLink(half.resolve("libc10.so"), torch().resolve("lib/libc10.so"));
    Files.writeString(half.resolve("libtorch_cpu.so"), "no library");
    Outcome broken = java(Map.of("CONTRASTIVE_LIBTORCH", half.getParent().toString()), "", null, library);
    assertTrue(broken.output.contains("failed CONTRASTIVE_LIBTORCH=") && broken.output.contains(half + "/libtorch_cpu.so"), broken.output);
  }

  @Test
  void theNamedLibTorchIsTheOneThatIsLoaded() throws Exception {
    String library = "-Dcontrastive.library=" + NATIVES;
    Path own = Files.createDirectories(folder.resolve("own"));
    Files.createSymbolicLink(own.resolve("lib"), torch().resolve("lib"));
    loads(java("", null, library, "-Dcontrastive.libtorch=" + own), "loaded [" + own + "/lib/libc10.so, " + own + "/lib/libtorch_cpu.so");
    loads(java(Map.of("CONTRASTIVE_LIBTORCH", own + "/lib"), "", null, library), "loaded [" + own + "/lib/libc10.so");
    // The property is asked first: a variable that leads nowhere does not count then.
    loads(java(Map.of("CONTRASTIVE_LIBTORCH", "/nowhere"), "", null, library, "-Dcontrastive.libtorch=" + own), "loaded [" + own);
  }

  @Test
  void whatWasTriedIsTold() throws Exception {
    Path broken = Files.createDirectories(folder.resolve("broken"));
    Files.writeString(broken.resolve("libcontrastive_java.so"), "no library");
    Outcome outcome = java("", null, "-Dcontrastive.library=" + broken, "-Djava.library.path=" + folder.resolve("nowhere"));
    for (String part : List.of("failed", "contrastive-<version>-linux-x86_64", "-Dcontrastive.library", "broken/libcontrastive_java.so",
        "no resource io/contrastive/native/linux-x86_64/libcontrastive.so.0", copy.getParent() + "/libcontrastive_java.so: no such file",
        "nowhere/libcontrastive_java.so: no such file", "again java.lang.NoClassDefFoundError")) {
      assertTrue(outcome.output.contains(part), "'" + part + "' is not told:\n" + outcome.output);
    }
  }
}
