package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names the platform that a process runs on, in folders that look like the roots of systems. */
class PlatformTest {
  private static final String GLIBC =
      "7f00-7f01 r-xp 0 08:01 7   /usr/lib/x86_64-linux-gnu/libc.so.6\n";
  private static final String MUSL = "7f00-7f01 r-xp 0 08:01 7   /lib/ld-musl-x86_64.so.1\n";

  @TempDir Path root;

  private void file(String name, String content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private String linux() {
    return Platform.name("Linux", "amd64", root);
  }

  @Test
  void systemsAndProcessorsHaveOneName() {
    assertEquals("windows-x86_64", Platform.name("Windows Server 2022", "amd64", root));
    assertEquals("macos-aarch64", Platform.name("Mac OS X", "aarch64", root));
    assertEquals("macos-x86_64", Platform.name("Mac OS X", "x86_64", root));
    assertEquals("linux-aarch64", Platform.name("Linux", "aarch64", root));
    assertEquals("linux-riscv64", Platform.name("Linux", "riscv64", root));
    assertEquals("freebsd-x86_64", Platform.name("FreeBSD", "amd64", root));
  }

  @Test
  void theLibraryThatTheProcessHasMappedDecides() throws IOException {
    file("lib/ld-musl-x86_64.so.1", "");
    file("proc/self/maps", "7f00-7f01 r--p 0 08:01 7 /srv/ld-musl-x86_64.so.1.jar\n" + GLIBC);
    assertEquals("linux-x86_64", linux(), "a system with glibc where musl is installed too");
    file("lib64/ld-linux-x86-64.so.2", "");
    file("proc/self/maps", "7f00-7f01 rw-p 0 00:00 0 [heap]\n" + MUSL + GLIBC);
    assertEquals("linux-musl-x86_64", linux(), "a system with musl where glibc is installed too");
  }

  @Test
  void withoutMapsTheLoadersDecide() throws IOException {
    assertEquals("linux-x86_64", linux());
    file("lib/ld-musl-x86_64.so.1", "");
    assertEquals("linux-musl-x86_64", linux());
    file("lib64/ld-linux-x86-64.so.2", "");
    assertEquals("linux-x86_64", linux());
  }

  /**
   * packaging/libtorch-VERSION.txt pins a LibTorch for which a further training plugin is built.
   */
  @Test
  void everyTrainingPluginIsKnown() throws IOException {
    Set<String> built = new TreeSet<>(Set.of("libcontrastive-torch.so.0"));
    Path packaging = Path.of(System.getProperty("contrastive.root"), "packaging");
    try (var pins = Files.newDirectoryStream(packaging, "libtorch-*.txt")) {
      for (Path pin : pins) {
        String version = pin.getFileName().toString().replaceAll("libtorch-|\\.txt", "");
        built.add("libcontrastive-torch-" + version + ".so.0");
      }
    }
    assertEquals(built, new TreeSet<>(Platform.current().training()));
  }

  @Test
  void thisProcessHasAPlatform() {
    assertEquals("linux-x86_64", Platform.current().name());
  }
}
