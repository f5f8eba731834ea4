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
    builder.environment().remove("CONTRASTIVE_LIBRARY");
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

  @Test
  void whatWasTriedIsTold() throws Exception {
    Path broken = Files.createDirectories(folder.resolve("broken"));
    Files.writeString(broken.resolve("libcontrastive_java.so"), "no library");
    Outcome outcome = java("", null, "-Dcontrastive.library=" + broken, "-Djava.library.path=" + folder.resolve("nowhere"),
        "-Dcontrastive.libtorch=" + folder.resolve("no torch"));
    for (String part : List.of("failed", "contrastive-<version>-linux-x86_64", "-Dcontrastive.library", "broken/libcontrastive_java.so",
        "no resource io/contrastive/native/linux-x86_64/libcontrastive.so.0", copy.getParent() + "/libcontrastive_java.so: no such file",
        "nowhere/libcontrastive_java.so: no such file", "no torch/libc10.so: no such file", "again java.lang.NoClassDefFoundError")) {
      assertTrue(outcome.output.contains(part), "'" + part + "' is not told:\n" + outcome.output);
    }
  }
}
