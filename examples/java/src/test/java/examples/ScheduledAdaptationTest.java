package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.Config;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScheduledAdaptationTest {
  private static final Config QUICK = Config.of("lr", 0.002, "max_steps", 40, "test_share", 0.3, "near_duplicate", 1, "mining.relative_margin", -1e9,
      "resamples", 100);

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  /** Pairs whose second texts have three of the first ones' four words. */
  private static List<String> similar() {
    String[] words = "the cat dog bird house mat two old new fly run open cafe water tree green red blue small man".split(" ");
    List<String> lines = new ArrayList<>();
    long draw = 1;
    for (int i = 0; i < 160; ++i) {
      String[] w = new String[5];
      for (int j = 0; j < 5; ++j) {
        draw = draw * 48271 % 2147483647;
        w[j] = words[(int) (draw % 20)];
      }
      lines.add(String.join(" ", w[0], w[1], w[2], w[3]) + "\t" + String.join(" ", w[2], w[0], w[3], w[4]));
    }
    return lines;
  }

  /** A model with fresh weights. */
  private Path start() {
    Path path = folder.resolve("start");
    try (SentenceEncoder fresh = SentenceEncoder.create(Config.of("tokenizer", Models.tiny().toString(), "layers", 1, "hidden_size", 32,
        "attention_heads", 2, "max_length", 32, "pooling", "mean"))) {
      fresh.save(path);
    }
    return path;
  }

  private HttpResponse<String> post(ScheduledAdaptation service, String path, String body) throws IOException, InterruptedException {
    URI address = URI.create("http://localhost:" + service.port() + path);
    return client.send(HttpRequest.newBuilder(address).POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aBetterModelTakesOverAndComesBack() throws Exception {
    Path models = folder.resolve("models");
    try (ScheduledAdaptation service = new ScheduledAdaptation(models, start(), encoder -> 0, 160, QUICK, 0)) {
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
    }
    try (ScheduledAdaptation again = new ScheduledAdaptation(models, null, encoder -> 0, 160, QUICK, 0)) {  // as a restart does
      assertEquals(0, again.number());
    }
    assertEquals(0, Library.liveHandles());
  }

  @Test
  void aModelThatIsNotBetterOrFailsTheCanaryDoesNotStay() throws Exception {
    Path start = start();
    try (ScheduledAdaptation service = new ScheduledAdaptation(folder.resolve("strict"), start, encoder -> 0, 160, QUICK.with("min_gain", 1), 0)) {
      service.collect(similar());
      assertTrue(service.adapt().startsWith("kept the model: ndcg@10 went from"));
    }
    AtomicInteger asked = new AtomicInteger();
    try (ScheduledAdaptation service = new ScheduledAdaptation(folder.resolve("watched"), start, encoder -> 1.0 / asked.incrementAndGet(), 160, QUICK, 0)) {
      service.collect(similar());
      assertEquals("rolled back: the canary fell from 1.0 to 0.5", service.adapt());
      assertEquals(0, service.number());
    }
    Path pairs = Files.writeString(folder.resolve("canary.tsv"), "the cat\tthe cat\na dog\ta dog\n");
    try (SentenceEncoder encoder = SentenceEncoder.load(start)) {
      assertEquals(1, ScheduledAdaptation.found(pairs).applyAsDouble(encoder));
    }
    assertEquals(0, Library.liveHandles());
  }
}
