package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests each way to find the native libraries, in separate Java processes, and the error message if
 * there are none.
 */
class NativeLoaderTest {
  private static final Path NATIVES = JavaProcess.NATIVES;

  @TempDir Path folder;
  private JavaProcess process;
  private Path copy; // of the classes, in an otherwise empty folder

  /** What the processes run. */
  public static final class Main {
    public static void main(String[] arguments) {
      try {
        System.out.println("loaded " + BuildInfo.get().loaded());
        if (arguments.length > 0) Thread.sleep(600_000); // until it is killed
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

  @BeforeEach
  void copyClasses() throws IOException {
    process = new JavaProcess(folder, Main.class);
    copy = process.classes;
  }

  private JavaProcess.Outcome java(String classPath, String variable, String... options)
      throws IOException, InterruptedException {
    return process.run(
        variable == null ? Map.of() : Map.of("CONTRASTIVE_LIBRARY", variable), classPath, options);
  }

  private static void loads(JavaProcess.Outcome outcome, String from) {
    assertEquals(0, outcome.exit(), outcome.output());
    assertTrue(
        outcome.output().contains("loaded [") && outcome.output().contains(from), outcome.output());
    assertTrue(outcome.output().contains("libcontrastive_java.so]"), outcome.output());
  }

  @Test
  void fromAPropertyOrAVariable() throws Exception {
    loads(java("", null, "-Dcontrastive.library=" + NATIVES), NATIVES + "/libcontrastive.so.0");
    loads(java("", NATIVES + "/libcontrastive.so.0"), NATIVES + "/libcontrastive.so.0");
  }

  @Test
  void fromAJarLeavingNothingBehind() throws Exception {
    Path jar = JavaProcess.jar(folder, "libcontrastive.so.0", "libcontrastive_java.so");
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    loads(java(":" + jar, null, "-Djava.io.tmpdir=" + temporary), temporary.toString());
    try (var left = Files.list(temporary)) {
      assertEquals(
          List.of(),
          left.filter(path -> path.getFileName().toString().startsWith("contrastive-")).toList());
    }
  }

  /** A killed process leaves its training plugin behind; a running process keeps its own. */
  @Test
  void whatAKilledProcessLeftIsRemovedByTheNext() throws Exception {
    Path jar =
        JavaProcess.jar(
            folder, "libcontrastive.so.0", "libcontrastive_java.so", "libcontrastive-torch.so.0");
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    Files.createDirectories(temporary.resolve("contrastive-of-another-program"));
    String option = "-Djava.io.tmpdir=" + temporary;
    Process killed = process.start(":" + jar, option, "--", "wait"),
        running = process.start(":" + jar, option, "--", "wait");
    try {
      assertEquals(2, partsThatTrain(temporary));
      killed.destroyForcibly().waitFor();
      assertEquals(2, partsThatTrain(temporary));
      loads(java(":" + jar, null, option), temporary.toString());
      assertEquals(1, partsThatTrain(temporary));
    } finally {
      running.destroy(); // a signal for an orderly shutdown
      running.waitFor();
    }
    try (var left = Files.list(temporary)) {
      List<String> names =
          left.map(path -> path.getFileName().toString())
              .filter(name -> name.startsWith("contrastive-"))
              .toList();
      assertEquals(List.of("contrastive-of-another-program"), names);
    }
  }

  private static long partsThatTrain(Path temporary) throws IOException {
    try (var files = Files.walk(temporary)) {
      return files.filter(path -> path.endsWith("libcontrastive-torch.so.0")).count();
    }
  }

  @Test
  void fromBesideTheClassesOrTheLibraryPath() throws Exception {
    loads(java("", null, "-Djava.library.path=" + folder + "/none:" + NATIVES), NATIVES.toString());
    for (String name : List.of("libcontrastive.so.0", "libcontrastive_java.so"))
      Files.copy(NATIVES.resolve(name), copy.getParent().resolve(name));
    loads(java("", null), copy.getParent().toString());
  }

  @Test
  void aLibraryOfAnotherInterfaceIsRefused() throws Exception {
    Path source =
        Files.writeString(folder.resolve("other.c"), "int cs_abi_version(void) { return 77; }\n");
    Path other = folder.resolve("other.so");
    assertEquals(
        0,
        new ProcessBuilder("cc", "-shared", "-fPIC", "-o", other.toString(), source.toString())
            .inheritIO()
            .start()
            .waitFor());
    JavaProcess.Outcome outcome =
        process.run(Map.of("LD_PRELOAD", other.toString()), "", "-Dcontrastive.library=" + NATIVES);
    assertTrue(
        outcome
            .output()
            .contains(
                "failed The libcontrastive that was loaded has binary interface 77; this package"
                    + " was made for 0"),
        outcome.output());
  }

  @Test
  void theErrorNamesThePlatformsOfThePackageAndOfTheProcess() throws Exception {
    Path arm = JavaProcess.jarFor("linux-aarch64", folder, "libcontrastive_java.so");
    Path musl = JavaProcess.jarFor("linux-musl-x86_64", folder, "libcontrastive_java.so");
    String without = java(":" + musl + ":" + arm, null).output();
    assertTrue(
        without.contains(
            "for linux-x86_64 could not be loaded. The class path has those of linux-aarch64,"
                + " linux-musl-x86_64 only: add the jar contrastive-natives"),
        without);
    String unknown = java(":" + arm, null, "-Dos.arch=riscv64").output();
    assertTrue(
        unknown.contains(
            "failed io.contrastive does not run on linux-riscv64. It runs on linux-x86_64,"),
        unknown);
  }

  @Test
  void whatWasTriedIsTold() throws Exception {
    Path broken = Files.createDirectories(folder.resolve("broken"));
    Files.writeString(broken.resolve("libcontrastive_java.so"), "no library");
    JavaProcess.Outcome outcome =
        java(
            "",
            null,
            "-Dcontrastive.library=" + broken,
            "-Djava.library.path=" + folder.resolve("nowhere"));
    for (String part :
        List.of(
            "failed",
            "for linux-x86_64 could not be loaded",
            "no native libraries: add the jar contrastive-natives",
            "classifier linux-x86_64",
            "-Dcontrastive.library",
            "broken/libcontrastive_java.so",
            "no resource io/contrastive/native/linux-x86_64/libcontrastive.so.0",
            copy.getParent() + "/libcontrastive_java.so: no such file",
            "nowhere/libcontrastive_java.so: no such file",
            "again java.lang.NoClassDefFoundError")) {
      assertTrue(outcome.output().contains(part), "'" + part + "' is not in:\n" + outcome.output());
    }
  }
}
