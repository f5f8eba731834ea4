package io.contrastive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The LibTorch that the artifact contrastive-torch brings: resources of its dependencies, unpacked
 * together into a folder that later processes use again. The folder is in the one that the property
 * {@code contrastive.cache} names, by default {@code contrastive} in the user's cache.
 */
final class TorchJar {
  private final Properties description = new Properties();
  private final ClassLoader loader = TorchJar.class.getClassLoader();

  private TorchJar() {}

  /**
   * Unpacks LibTorch if the class path has one and it is not unpacked yet.
   *
   * @return the folder; null if the class path has none
   */
  static Path unpack(Platform platform) throws IOException {
    TorchJar jar = new TorchJar();
    String name = platform.resources() + "libtorch.properties";
    try (InputStream in = jar.loader.getResourceAsStream(name)) {
      if (in == null) return null;
      jar.description.load(in);
    }
    Path folder = cache().resolve(jar.description.getProperty("name")).toAbsolutePath();
    if (!Files.isDirectory(folder)) jar.unpackInto(folder);
    for (String file : jar.words("load")) System.load(folder.resolve(file).toString());
    return folder;
  }

  private static Path cache() {
    String named = System.getProperty("contrastive.cache");
    if (named != null && !named.isBlank()) return Path.of(named);
    String user = System.getenv("XDG_CACHE_HOME");
    boolean set = user != null && !user.isBlank();
    Path caches = set ? Path.of(user) : Path.of(System.getProperty("user.home"), ".cache");
    return caches.resolve("contrastive");
  }

  private String[] words(String key) {
    return description.getProperty(key).trim().split("\\s+");
  }

  /** Unpacks into a folder of another name first, because several processes may do so at once. */
  private void unpackInto(Path folder) throws IOException {
    Files.createDirectories(folder.getParent());
    Path fresh = Files.createTempDirectory(folder.getParent(), folder.getFileName() + "-");
    try {
      for (String file : words("files")) {
        try (InputStream in = loader.getResourceAsStream(file)) {
          if (in == null) throw new IOException("the class path has no " + file);
          Files.copy(in, fresh.resolve(file.substring(file.lastIndexOf('/') + 1)));
        }
      }
      Files.move(fresh, folder);
    } catch (IOException e) {
      remove(fresh);
      if (!Files.isDirectory(folder)) throw e; // else another process was faster
    }
  }

  private static void remove(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) Files.delete(file);
    }
    Files.delete(folder);
  }
}
