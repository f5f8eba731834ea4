package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.Library;
import io.contrastive.SentenceEncoder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScheduledAdaptationTest {
  private static final Config QUICK =
      Config.of(
          "lr",
          0.002,
          "max_steps",
          40,
          "test_share",
          0.3,
          "near_duplicate",
          1,
          "mining.relative_margin",
          -1e9,
          "resamples",
          100);

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  /** Pairs whose second texts have three of the first ones' four words. */
  private static List<String> similar() {
    String[] words =
        ("the cat dog bird house mat two old new fly run open cafe water tree green red blue small"
                + " man")
            .split(" ");
    List<String> lines = new ArrayList<>();
    long draw = 1;
    for (int i = 0; i < 160; ++i) {
      String[] w = new String[5];
      for (int j = 0; j < 5; ++j) {
        draw = draw * 48271 % 2147483647;
        w[j] = words[(int) (draw % 20)];
      }
      lines.add(
          String.join(" ", w[0], w[1], w[2], w[3])
              + "\t"
              + String.join(" ", w[2], w[0], w[3], w[4]));
    }
    return lines;
  }

  /** A model with fresh weights. */
  private Path start() {
    Path path = folder.resolve("start");
    try (SentenceEncoder fresh =
        SentenceEncoder.create(
            Config.of(
                "tokenizer",
                Models.tiny().toString(),
                "layers",
                1,
                "hidden_size",
                32,
                "attention_heads",
                2,
                "max_length",
                32,
                "pooling",
                "mean"))) {
      fresh.save(path);
    }
    return path;
  }

  private HttpResponse<String> post(ScheduledAdaptation service, String path, String body)
      throws IOException, InterruptedException {
    URI address = URI.create("http://localhost:" + service.port() + path);
    return client.send(
        HttpRequest.newBuilder(address)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .timeout(Duration.ofSeconds(30))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aBetterModelTakesOverAndComesBack() throws Exception {
    Path models = folder.resolve("models");
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(models, start(), encoder -> 0, 160, QUICK, 0)) {
      assertEquals("0 pairs of 160 were collected", service.adapt());
      assertEquals(200, post(service, "/pairs", String.join("\n", similar())).statusCode());
      service.every(Duration.ofMillis(20));
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (service.number() != 1 && System.nanoTime() < deadline) Thread.sleep(5);
      assertTrue(post(service, "/embed", "the cat").body().startsWith("{\"model\": 1,"));
      assertEquals("{\"model\": 0}", post(service, "/rollback", "").body());
      assertTrue(post(service, "/embed", "the cat").body().startsWith("{\"model\": 0,"));
      assertEquals(400, post(service, "/rollback", "").statusCode());
      assertEquals(400, post(service, "/pairs", "no pair").statusCode());
      assertEquals(400, post(service, "/pairs", "").statusCode());
      for (String path : List.of("/embed", "/pairs", "/rollback")) {
        HttpRequest get =
            HttpRequest.newBuilder(URI.create("http://localhost:" + service.port() + path)).build();
        assertEquals(405, client.send(get, HttpResponse.BodyHandlers.ofString()).statusCode());
      }
    }
    try (ScheduledAdaptation again =
        new ScheduledAdaptation(models, null, encoder -> 0, 160, QUICK, 0)) { // as a restart does
      assertEquals(0, again.number());
    }
    assertEquals(0, Library.liveHandles());
  }

  @Test
  void aModelThatIsNotBetterOrFailsTheCanaryDoesNotStay() throws Exception {
    Path start = start();
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(
            folder.resolve("strict"), start, encoder -> 0, 160, QUICK.with("min_gain", 1), 0)) {
      for (int round = 1; round <= 2; ++round) {
        service.collect(similar());
        assertTrue(service.adapt().startsWith("kept the model: ndcg@10 went from"));
        assertEquals(
            similar(), Files.readAllLines(folder.resolve("strict/model-" + round + ".tsv")));
      }
    }
    AtomicInteger asked = new AtomicInteger();
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(
            folder.resolve("watched"),
            start,
            encoder -> 1.0 / asked.incrementAndGet(),
            160,
            QUICK,
            0)) {
      service.collect(similar());
      assertEquals("kept the model: the canary fell from 1.0 to 0.5", service.adapt());
      assertEquals(0, service.number());
      assertEquals("0 -1", Files.readString(folder.resolve("watched/served")).strip());
      assertEquals(similar(), Files.readAllLines(folder.resolve("watched/model-1.tsv")));
    }
    Path pairs =
        Files.writeString(folder.resolve("canary.tsv"), "the cat\tthe cat\na dog\ta dog\n");
    try (SentenceEncoder encoder = SentenceEncoder.load(start)) {
      assertEquals(1, ScheduledAdaptation.found(pairs).applyAsDouble(encoder));
    }
    assertEquals(0, Library.liveHandles());
  }

  @Test
  void aCanaryThatThrowsLeavesTheModelAndThePairs() throws Exception {
    Path models = folder.resolve("models");
    AtomicInteger asked = new AtomicInteger();
    ToDoubleFunction<SentenceEncoder> canary =
        encoder -> {
          int call = asked.incrementAndGet();
          if (call == 1 || call == 3)
            throw new IllegalStateException(
                "no canary"); // scores of the served model, and of a new one
          return 0;
        };
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(models, start(), canary, 160, QUICK, 0)) {
      service.collect(similar());
      for (int round = 0; round < 2; ++round) {
        assertEquals(
            "no canary", assertThrows(IllegalStateException.class, service::adapt).getMessage());
        assertEquals(0, service.number());
        assertEquals(similar(), Files.readAllLines(models.resolve("round.tsv")));
      }
      assertEquals(3, asked.get());
      assertTrue(service.adapt().startsWith("serves a better model: "));
      assertEquals(
          similar(), Files.readAllLines(models.resolve("model-" + service.number() + ".tsv")));
      assertFalse(Files.exists(models.resolve("round.tsv")));
    }
    assertEquals(0, Library.liveHandles());
  }

  /** A folder whose first round was broken off, as a process that ends does. */
  private Path brokenOff(String name, Path start, Config config) throws Exception {
    Path models = folder.resolve(name), work = models.resolve("model-1.adapting");
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(models, start, encoder -> 0, 160, config, 0)) {
      service.collect(similar());
      service.every(Duration.ofMillis(1));
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (Files.notExists(work.resolve("split.done.json")) && System.nanoTime() < deadline)
        Thread.sleep(1);
    }
    assertTrue(Files.exists(work) && Files.exists(models.resolve("round.tsv")));
    return models;
  }

  @Test
  void aRoundThatWasBrokenOffGoesOn() throws Exception {
    Path start = start();
    Config slow = QUICK.with("max_steps", 1000).with("lr", 0.0001);
    for (int documents : new int[] {2000, 1999}) {
      Path models = brokenOff("models-" + documents, start, slow);
      try (ScheduledAdaptation again =
          new ScheduledAdaptation(
              models, null, encoder -> 0, 160, slow.with("dev_documents", documents), 0)) {
        if (documents
            != 2000) { // a round with other settings is abandoned, but its pairs are kept
          assertEquals(
              ContrastiveException.Kind.MISMATCH,
              assertThrows(ContrastiveException.class, again::adapt).kind());
          assertFalse(Files.exists(models.resolve("model-1.adapting")));
          assertEquals(similar(), Files.readAllLines(models.resolve("round.tsv")));
        }
        assertTrue(again.adapt().startsWith("serves a better model: "));
        assertEquals(1, again.number());
        assertEquals(similar(), Files.readAllLines(models.resolve("model-1.tsv")));
        assertFalse(
            Files.exists(models.resolve("model-1.adapting"))
                || Files.exists(models.resolve("round.tsv")));
      }
    }
    assertEquals(0, Library.liveHandles());
  }

  @Test
  void aRollbackDuringARoundWins() throws Exception {
    Path start = start();
    for (int during = 1; during <= 2; ++during) { // before the adaptation, and after it
      Path models = folder.resolve("models-" + during);
      try (SentenceEncoder same = SentenceEncoder.load(start)) {
        same.save(models.resolve("model-0"));
        same.save(models.resolve("model-1"));
      }
      Files.writeString(models.resolve("served"), "1 0\n");
      AtomicReference<ScheduledAdaptation> running = new AtomicReference<>();
      AtomicInteger left = new AtomicInteger(during);
      ToDoubleFunction<SentenceEncoder> canary =
          encoder -> {
            if (left.decrementAndGet() != 0) return 0;
            try {
              assertEquals("{\"model\": 0}", post(running.get(), "/rollback", "").body());
              assertTrue(
                  post(running.get(), "/embed", "the cat").body().startsWith("{\"model\": 0,"));
            } catch (IOException | InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return 0;
          };
      try (ScheduledAdaptation service =
          new ScheduledAdaptation(models, null, canary, 160, QUICK, 0)) {
        running.set(service);
        service.collect(similar());
        assertEquals("the model was changed meanwhile", service.adapt());
        assertEquals(0, service.number());
        assertEquals("0 -1", Files.readString(models.resolve("served")).strip());
        assertEquals(similar(), Files.readAllLines(models.resolve("round.tsv")));
        assertTrue(
            service
                .adapt()
                .startsWith("serves a better model: ")); // from the currently served model
        assertEquals(during + 1, service.number());
      }
    }
    assertEquals(0, Library.liveHandles());
  }

  @Test
  void aBadRoundDoesNotStopTheNext() throws Exception {
    Path models = folder.resolve("models");
    try (ScheduledAdaptation service =
        new ScheduledAdaptation(models, start(), encoder -> 0, 2, QUICK, 0)) {
      for (int round = 1; round <= 2; ++round) {
        service.collect(similar().subList(0, 2));
        assertEquals(
            ContrastiveException.Kind.ARGUMENT,
            assertThrows(ContrastiveException.class, service::adapt).kind());
        assertEquals(
            similar().subList(0, 2),
            Files.readAllLines(models.resolve("failed-" + round + ".tsv")));
        assertFalse(
            Files.exists(models.resolve("round.tsv"))
                || Files.exists(models.resolve("model-1.adapting")));
      }
      service.collect(similar());
      service.collect(List.of("a line with\0a NUL\tcannot be read"));
      assertTrue(service.adapt().startsWith("serves a better model: "));
      assertEquals(1, service.number());
    }
    assertEquals(0, Library.liveHandles());
  }
}
