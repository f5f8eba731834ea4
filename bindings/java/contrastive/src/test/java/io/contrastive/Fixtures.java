package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.function.Executable;

/** Small models and texts that the tests share, and checks of how a call failed. */
final class Fixtures {
  static final Path MODELS = Path.of(System.getProperty("contrastive.fixtures"), "models");
  static final Path RERANKERS = MODELS.resolveSibling("rerankers");
  static final Config CLSR =
      Config.of(
          "method",
          "clsr",
          "batch_size",
          4,
          "max_steps",
          6,
          "lr",
          0.01,
          "optimizer",
          "adamw",
          "clsr.dimension",
          8,
          "clsr.hidden",
          8);
  static final List<Example> PAIRS =
      List.of(
          Example.pair("the cat sat", "a cat sits"),
          Example.pair("a dog runs", "the dog ran"),
          Example.pair("two birds fly", "birds in the air"),
          Example.pair("the old house", "a very old house"),
          Example.pair("red and blue", "blue and red"),
          Example.pair("one man walks", "a man is walking"),
          Example.pair("she eats fish", "fish is eaten"),
          Example.pair("it is closed", "closed today"));

  private Fixtures() {}

  static SentenceEncoder encoder() {
    return SentenceEncoder.load(MODELS.resolve("bert_st"));
  }

  static Dataset pairs() {
    Dataset data = Dataset.create();
    PAIRS.forEach(data::add);
    return data;
  }

  /** What Python's libraries compute for a model. */
  static Map<String, Object> golden(String model) throws IOException {
    return Json.object(Files.readString(MODELS.resolve(model + ".golden.json")));
  }

  /** The call must fail with this kind and a message that contains this part. */
  static ContrastiveException fails(ContrastiveException.Kind kind, String part, Executable call) {
    ContrastiveException failure = assertThrows(ContrastiveException.class, call);
    assertEquals(kind, failure.kind(), failure.getMessage());
    assertTrue(
        failure.getMessage().contains(part),
        "'" + failure.getMessage() + "' does not contain '" + part + "'");
    return failure;
  }

  /** The call must fail because an object is closed, with a message that contains this part. */
  static void closed(String part, Executable call) {
    IllegalStateException failure = assertThrows(ClosedException.class, call);
    assertTrue(failure.getMessage().contains(part), failure.getMessage());
  }

  /** A virtual thread for each task if Java has them (21 and newer), else threads of a pool. */
  static ExecutorService manyThreads() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      return Executors.newFixedThreadPool(16);
    }
  }

  /** Collects garbage until `done` is true, for at most ten seconds. */
  static boolean collectUntil(java.util.function.BooleanSupplier done) throws InterruptedException {
    for (int i = 0; i < 200 && !done.getAsBoolean(); i++) {
      System.gc();
      Thread.sleep(50);
    }
    return done.getAsBoolean();
  }
}
