package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

/**
 * Runs a main class of the tests in a separate Java process, with a copy of the classes in an
 * otherwise empty folder.
 */
final class JavaProcess {
  /** The native libraries that the tests use. */
  static final Path NATIVES = Path.of(System.getProperty("contrastive.library"));

  /**
   * The folder of the copied classes. Native libraries in its parent count as next to the package.
   */
  final Path classes;

  private final String main;

  /** The exit status, and everything that the process printed. */
  record Outcome(int exit, String output) {}

  JavaProcess(Path folder, Class<?> main) throws IOException {
    this.main = main.getName();
    classes = Files.createDirectories(folder.resolve("app/classes"));
    for (Class<?> one : new Class<?>[] {NativeLoader.class, JavaProcess.class}) {
      Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().getPath());
      try (var files = Files.walk(root)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
          Path target = classes.resolve(root.relativize(file).toString());
          Files.createDirectories(target.getParent());
          Files.copy(file, target);
        }
      }
    }
  }

  /**
   * @param classPath what follows the classes, each after a colon @param options of java, the
   *     arguments of the main class behind "--"
   */
  Outcome run(Map<String, String> environment, String classPath, String... options)
      throws IOException, InterruptedException {
    Process process = builder(environment, classPath, options).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  /** A process that keeps running; returns after its first line of output. */
  Process start(String classPath, String... options) throws IOException {
    Process process = builder(Map.of(), classPath, options).start();
    process.inputReader().readLine();
    return process;
  }

  private ProcessBuilder builder(
      Map<String, String> environment, String classPath, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xint"));
    int split = List.of(options).indexOf("--");
    command.addAll(List.of(options).subList(0, split < 0 ? options.length : split));
    command.addAll(List.of("-cp", classes + classPath, main));
    if (split >= 0) command.addAll(List.of(options).subList(split + 1, options.length));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeAll(List.of("CONTRASTIVE_LIBRARY", "CONTRASTIVE_LIBTORCH"));
    builder.environment().putAll(environment);
    return builder;
  }

  /** What the process printed; it must have succeeded. */
  String prints(Map<String, String> environment, String classPath, String... options)
      throws IOException, InterruptedException {
    Outcome outcome = run(environment, classPath, options);
    assertEquals(0, outcome.exit, outcome.output);
    return outcome.output;
  }

  /** Writes a jar of native libraries into a folder. */
  static Path jar(Path folder, String... natives) throws IOException {
    return jarFor("linux-x86_64", folder, natives);
  }

  /** Writes a jar that claims to have the native libraries of a platform. */
  static Path jarFor(String platform, Path folder, String... natives) throws IOException {
    Path jar = folder.resolve(platform + ".jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      for (String name : natives) {
        out.putNextEntry(new ZipEntry("io/contrastive/native/" + platform + "/" + name));
        Files.copy(NATIVES.resolve(name), out);
      }
    }
    return jar;
  }
}
