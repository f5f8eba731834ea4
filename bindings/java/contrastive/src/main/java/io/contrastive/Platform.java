package io.contrastive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A system and processor for which native libraries are built, and the names of their files.
 *
 * @param name the classifier and the folder in the jar
 * @param library the file of libcontrastive; the JNI library finds the loaded one by this name
 * @param jni the file of the JNI library
 * @param training the files of the training plugin that a package may have, one for each version of
 *     LibTorch; libcontrastive opens the one that it needs from its own folder
 */
record Platform(String name, String library, String jni, List<String> training) {
  private static final List<String> LIBTORCH = List.of("", "-2.10", "-2.15");

  /** All platforms, of which a package may have only some. */
  static final List<Platform> ALL =
      List.of(
          linux("linux-x86_64", true),
          linux("linux-aarch64", true),
          linux("linux-musl-x86_64", false),
          linux("linux-musl-aarch64", false),
          new Platform("windows-x86_64", "contrastive.dll", "contrastive_java.dll", List.of()),
          macos("macos-aarch64"),
          macos("macos-x86_64"));

  private static final Pattern MUSL =
      Pattern.compile("/ld-musl-[^/\n]*\\.so\\.1$", Pattern.MULTILINE);

  private static Platform linux(String name, boolean trains) {
    List<String> training = trains ? training("libcontrastive-torch%s.so.0") : List.of();
    return new Platform(name, "libcontrastive.so.0", "libcontrastive_java.so", training);
  }

  private static Platform macos(String name) {
    List<String> training = training("libcontrastive-torch%s.0.dylib");
    return new Platform(name, "libcontrastive.0.dylib", "libcontrastive_java.dylib", training);
  }

  private static List<String> training(String pattern) {
    return LIBTORCH.stream().map(pattern::formatted).toList();
  }

  /** The platform of this process. */
  static Platform current() {
    String system = System.getProperty("os.name");
    String machine = System.getProperty("os.arch");
    String name = name(system, machine, Path.of("/"));
    return ALL.stream()
        .filter(platform -> platform.name.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UnsatisfiedLinkError(
                    "io.contrastive does not run on "
                        + name
                        + ". It runs on "
                        + String.join(", ", ALL.stream().map(Platform::name).toList())));
  }

  /** The name of a platform, also of one for which nothing is built. */
  static String name(String system, String machine, Path root) {
    String lower = system.toLowerCase(Locale.ROOT);
    String processor = machine.toLowerCase(Locale.ROOT);
    if (processor.equals("amd64")) processor = "x86_64";
    if (processor.equals("arm64")) processor = "aarch64";
    if (lower.startsWith("windows")) return "windows-" + processor;
    if (lower.startsWith("mac")) return "macos-" + processor;
    if (!lower.equals("linux")) return lower.replace(' ', '-') + "-" + processor;
    return (isMusl(root, processor) ? "linux-musl-" : "linux-") + processor;
  }

  /**
   * Whether the C library of this process is musl. A system with glibc may have musl's loader as
   * well, so that file alone proves nothing: the process has mapped the C library that it uses.
   */
  private static boolean isMusl(Path root, String processor) {
    try {
      byte[] maps = Files.readAllBytes(root.resolve("proc/self/maps"));
      return MUSL.matcher(new String(maps, StandardCharsets.UTF_8)).find();
    } catch (IOException e) { // no /proc, as in some sandboxes
      return Files.exists(root.resolve("lib/ld-musl-" + processor + ".so.1"))
          && Files.notExists(root.resolve("lib64/ld-linux-x86-64.so.2"))
          && Files.notExists(root.resolve("lib/ld-linux-aarch64.so.1"));
    }
  }

  /** The folder of the files in a jar. */
  String resources() {
    return "io/contrastive/native/" + name + "/";
  }

  /** The platforms whose native libraries the class path has. */
  static List<String> packaged(ClassLoader loader) {
    return ALL.stream()
        .filter(platform -> loader.getResource(platform.resources() + platform.jni) != null)
        .map(Platform::name)
        .toList();
  }
}
