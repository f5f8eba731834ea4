package examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.contrastive.ClosedException;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.Example;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A service that embeds texts over HTTP, trains on the pairs that it receives, and swaps in the
 * trained model without dropping a request.
 *
 * <pre>
 * POST /embed      one text per line                 {"model": 3, "embeddings": [[...], ...]}
 * POST /examples   one pair per line, with a tab     {"queued": 64}
 * GET  /status                                       {"model": 3, "queued": 0, "loss": 0.12}
 * </pre>
 */
public final class EmbeddingService implements AutoCloseable {
  private static final int BATCH = 32;

  /** An encoder and its number. The first model has the number 0. */
  private record Model(SentenceEncoder encoder, int number) {}

  private final BlockingQueue<Example> queue = new LinkedBlockingQueue<>(100_000);
  private final ExecutorService requests = Executors.newFixedThreadPool(4);
  private final HttpServer server;
  private final Thread training;
  private final Path output;
  private volatile Model model;
  private volatile double loss = Double.NaN;

  /** Starts to serve on a local port; 0 chooses a free one. */
  public EmbeddingService(Path folder, int port, Path output) throws IOException {
    this.output = output;
    SentenceEncoder start = SentenceEncoder.load(folder);
    model = new Model(start.snapshot(), 0);
    training = new Thread(() -> train(start), "training");
    System.setProperty(
        "sun.net.httpserver.nodelay",
        "true"); // else every small response waits 40 ms for the client's acknowledgement
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
    server.setExecutor(requests);
    server.createContext("/embed", exchange -> answer(exchange, this::embed));
    server.createContext("/examples", exchange -> answer(exchange, this::accept));
    server.createContext("/status", exchange -> answer(exchange, "GET", lines -> status()));
    server.start();
    training.start();
  }

  /** MODEL PORT OUTPUT */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 3)
      throw new IllegalArgumentException("usage: EmbeddingService MODEL PORT OUTPUT");
    EmbeddingService service =
        new EmbeddingService(
            Path.of(arguments[0]), Integer.parseInt(arguments[1]), Path.of(arguments[2]));
    Runtime.getRuntime().addShutdownHook(new Thread(service::close));
    System.out.println("serving on port " + service.port());
  }

  /** The port that it serves on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private String embed(List<String> texts) {
    for (; ; ) {
      Model now = model;
      try {
        float[][] vectors = now.encoder.encode(texts);
        return "{\"model\": "
            + now.number
            + ", \"embeddings\": "
            + Arrays.deepToString(vectors)
            + "}";
      } catch (ClosedException e) {
        // The model was changed and closed between the two lines above. Use the new one. Closing
        // does not interrupt a running call.
        if (now == model) throw e;
      }
    }
  }

  private String accept(List<String> lines) {
    for (String line : lines) {
      String[] texts = line.split("\t", 2);
      if (texts.length != 2) throw new IllegalArgumentException("no tab in: " + line);
      if (!queue.offer(Example.pair(texts[0], texts[1])))
        throw new IllegalArgumentException("the queue is full: send the rest later");
    }
    return "{\"queued\": " + queue.size() + "}";
  }

  private String status() {
    return "{\"model\": "
        + model.number
        + ", \"queued\": "
        + queue.size()
        + ", \"loss\": "
        + (Double.isNaN(loss) ? "null" : loss)
        + "}";
  }

  /**
   * Trains on arriving pairs, batch by batch. After every eighth batch, or when the queue is empty,
   * the service swaps in the trained model.
   */
  private void train(SentenceEncoder start) {
    Config config =
        Config.of(
            "method",
            "mnrl",
            "optimizer",
            "adamw",
            "lr",
            0.001,
            "schedule",
            "constant", // and no warm-up: the number of updates is not known
            "warmup_ratio",
            0,
            "batch_size",
            BATCH,
            "max_steps",
            1_000_000_000);
    try (start;
        Trainer trainer = Trainer.start(start, null, config)) {
      List<Example> batch = new ArrayList<>();
      for (int unseen = 0; ; ) {
        Example next = queue.poll(unseen > 0 ? 200 : Long.MAX_VALUE, TimeUnit.MILLISECONDS);
        if (next != null) batch.add(next);
        if (batch.size() == BATCH || (next == null && batch.size() > 1)) {
          trainer.batch(batch);
          batch.clear();
          loss = trainer.metric("loss");
          unseen++;
        }
        if (unseen == 8 || (next == null && unseen > 0)) {
          change(trainer.model());
          trainer.save(output);
          unseen = 0;
        }
      }
    } catch (InterruptedException e) {
      // the service is closing
    } catch (RuntimeException e) {
      boolean closing =
          e instanceof ContrastiveException failure
              && failure.kind() == ContrastiveException.Kind.CANCELLED;
      if (!closing)
        System.err.println("training has stopped, the service goes on with its model: " + e);
    }
  }

  private void change(SentenceEncoder encoder) {
    Model old = model;
    model = new Model(encoder, old.number + 1);
    old.encoder.close();
  }

  interface Handler {
    String apply(List<String> lines);
  }

  static void answer(HttpExchange exchange, Handler handler) throws IOException {
    answer(exchange, "POST", handler);
  }

  /**
   * Answers a request, whatever its handler does: 405 for another method, 400 for an invalid
   * request, 500 for any other error.
   */
  static void answer(HttpExchange exchange, String method, Handler handler) throws IOException {
    boolean allowed = exchange.getRequestMethod().equals(method);
    if (!allowed) exchange.getResponseHeaders().set("Allow", method);
    int status = allowed ? 200 : 405;
    String body;
    try {
      body =
          !allowed
              ? method + " is needed"
              : handler.apply(
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
                      .lines()
                      .toList());
    } catch (RuntimeException e) {
      boolean refused =
          e instanceof IllegalArgumentException
              || e instanceof ContrastiveException failure
                  && failure.kind() == ContrastiveException.Kind.ARGUMENT;
      status = refused ? 400 : 500;
      body = String.valueOf(e.getMessage() == null ? e : e.getMessage());
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  /** Answers what has arrived, ends training after the step that runs, and lets the model go. */
  @Override
  public void close() {
    server.stop(1);
    requests.shutdown();
    training.interrupt();
    try {
      training.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    model.encoder.close();
  }
}
