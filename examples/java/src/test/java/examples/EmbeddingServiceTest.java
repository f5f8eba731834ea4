package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.contrastive.Library;
import io.contrastive.SentenceEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingServiceTest {
  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> post(int port, String path, String body)
      throws IOException, InterruptedException {
    URI address = URI.create("http://localhost:" + port + path);
    HttpRequest request =
        HttpRequest.newBuilder(address).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Whatever a handler throws, its client gets an answer. */
  @Test
  void everyRequestIsAnswered() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/bad",
        exchange ->
            EmbeddingService.answer(
                exchange,
                lines -> {
                  throw new IllegalArgumentException("no tab in: " + lines.get(0));
                }));
    server.createContext(
        "/broken", exchange -> EmbeddingService.answer(exchange, lines -> lines.get(7)));
    server.createContext(
        "/silent",
        exchange ->
            EmbeddingService.answer(
                exchange,
                lines -> {
                  throw new IllegalStateException();
                }));
    server.start();
    try {
      int port = server.getAddress().getPort();
      HttpResponse<String> bad = post(port, "/bad", "a b");
      assertEquals(400, bad.statusCode());
      assertEquals("no tab in: a b", bad.body());
      assertEquals(500, post(port, "/broken", "a").statusCode());
      HttpResponse<String> silent = post(port, "/silent", "a");
      assertEquals(500, silent.statusCode());
      assertEquals("java.lang.IllegalStateException", silent.body());
    } finally {
      server.stop(0);
    }
  }

  /**
   * Six clients embed without a pause while the service learns from a seventh and changes its model
   * at least three times.
   */
  @Test
  void noRequestIsDroppedWhileTheModelChanges() throws Exception {
    AtomicInteger answered = new AtomicInteger();
    Map<Integer, String> answers =
        new ConcurrentHashMap<>(); // per model, the embedding of one text, which is always the same
    try (EmbeddingService service =
        new EmbeddingService(Models.tiny(), 0, folder.resolve("model"))) {
      AtomicBoolean stop = new AtomicBoolean();
      ExecutorService clients = Executors.newFixedThreadPool(6);
      List<Future<?>> loads = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        loads.add(
            clients.submit(
                () -> {
                  while (!stop.get()) {
                    HttpResponse<String> response =
                        post(service.port(), "/embed", "the cat sat on the mat.");
                    assertEquals(200, response.statusCode(), response.body());
                    int model =
                        Integer.parseInt(
                            response.body().replaceAll("(?s)\\{\"model\": (\\d+).*", "$1"));
                    assertEquals(
                        answers.computeIfAbsent(model, number -> response.body()), response.body());
                    answered.incrementAndGet();
                  }
                  return null;
                }));
      }
      StringBuilder pairs = new StringBuilder();
      for (int i = 0; i < 400; i++)
        pairs
            .append("the cat in house ")
            .append(i)
            .append("\ta dog at address ")
            .append(i)
            .append('\n');
      long deadline = System.nanoTime() + 60_000_000_000L;
      while ((answers.size() < 4 || answered.get() <= 100) && System.nanoTime() < deadline) {
        assertEquals(200, post(service.port(), "/examples", pairs.toString()).statusCode());
        Thread.sleep(100);
      }
      stop.set(true);
      for (Future<?> load : loads) load.get();
      clients.shutdown();
      assertEquals(400, post(service.port(), "/examples", "no tab").statusCode());
      String status = post(service.port(), "/status", "").body();
      System.out.printf(
          "%d requests answered by %d models, none dropped; %s%n",
          answered.get(), answers.size(), status);
      assertTrue(answers.size() >= 4, "the model was changed " + (answers.size() - 1) + " times");
      assertEquals(
          answers.size(),
          answers.values().stream()
              .map(answer -> answer.replaceAll("\"model\": \\d+", ""))
              .distinct()
              .count());
    }
    assertTrue(answered.get() > 100);
    assertTrue(Files.exists(folder.resolve("model/modules.json")));
    try (SentenceEncoder saved = SentenceEncoder.load(folder.resolve("model"))) {
      assertEquals(32, saved.encode("the cat").length);
    }
    assertEquals(0, Library.liveHandles());
  }
}
