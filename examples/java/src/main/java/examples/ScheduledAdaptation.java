package examples;

import com.sun.net.httpserver.HttpServer;
import io.contrastive.Cancel;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.Dataset;
import io.contrastive.Report;
import io.contrastive.SentenceEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

/**
 * A service that embeds texts, collects pairs, and adapts its model to them on a timer. A model that is better takes over without a dropped request; the one
 * before is kept, and comes back on demand, or where the canary becomes worse.
 *
 * <pre>
 * POST /embed      one text a line                          {"model": 3, "embeddings": [[...], ...]}
 * POST /pairs      a query, a tab and a document, a line
 * POST /rollback   serves the model before this one
 * </pre>
 *
 * The folder holds the models, "model-0", "model-1", ..., the file "served" with the number of the one that is served and of the one before, and the pairs that
 * no model has learned from yet.
 */
public final class ScheduledAdaptation implements AutoCloseable {
  /** A model, its number, and that of the one before; -1 where there is none. */
  record Served(SentenceEncoder encoder, int number, int previous) {}

  private final Path folder;
  private final ToDoubleFunction<SentenceEncoder> canary;
  private final int least;
  private final Config config;
  private final Cancel stop = new Cancel();
  private final AtomicReference<Served> served = new AtomicReference<>();
  private final ExecutorService requests = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Object file = new Object();  // held by whoever writes pairs
  private final HttpServer server;

  /**
   * Goes on with the folder, or begins one with the model {@code start}.
   *
   * @param canary says how good a model is at what no new model may become worse at
   * @param least pairs that an adaptation begins with
   * @param config keys of {@code Config.describe("adapt")}
   */
  public ScheduledAdaptation(Path folder, Path start, ToDoubleFunction<SentenceEncoder> canary, int least, Config config, int port) throws IOException {
    this.folder = folder;
    this.canary = canary;
    this.least = least;
    this.config = config;
    Path names = folder.resolve("served");
    if (Files.exists(names)) {
      String[] numbers = Files.readString(names).strip().split(" ");
      serve(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
    } else {
      try (SentenceEncoder first = SentenceEncoder.load(start)) {
        first.save(model(0));
      }
      serve(0, -1);
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
    server.setExecutor(requests);
    server.createContext("/embed", exchange -> EmbeddingService.answer(exchange, this::embed));
    server.createContext("/pairs", exchange -> EmbeddingService.answer(exchange, this::collect));
    server.createContext("/rollback", exchange -> EmbeddingService.answer(exchange, lines -> rollback()));
    server.start();
  }

  /** MODELS START PORT HOURS [CANARY.tsv] */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 4) throw new IllegalArgumentException("usage: ScheduledAdaptation MODELS START PORT HOURS [CANARY.tsv]");
    ToDoubleFunction<SentenceEncoder> canary = arguments.length > 4 ? found(Path.of(arguments[4])) : encoder -> 0;
    ScheduledAdaptation service = new ScheduledAdaptation(Path.of(arguments[0]), Path.of(arguments[1]), canary, 1000, Config.of("min_gain", 0.01),
        Integer.parseInt(arguments[2]));
    Runtime.getRuntime().addShutdownHook(new Thread(service::close));
    service.every(Duration.ofHours(Long.parseLong(arguments[3])));
    System.out.println("serving on port " + service.port());
  }

  /** How often the queries of a file find their documents. */
  static ToDoubleFunction<SentenceEncoder> found(Path pairs) {
    return encoder -> encoder.evaluate("retrieval", Config.of("data", pairs.toString())).number("recall@1");
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** The number of the model that is served. */
  public int number() {
    return served.get().number;
  }

  /** Adapts on the timer. A round that fails changes nothing, and the next one tries again. */
  public void every(Duration time) {
    timer.scheduleWithFixedDelay(() -> {
      try {
        System.out.println(adapt());
      } catch (IOException | RuntimeException e) {
        System.err.println("adapting failed: " + e.getMessage());
      }
    }, time.toMillis(), time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Path model(int number) {
    return folder.resolve("model-" + number);
  }

  /** Changes to a model. The file that names it is replaced in one step: a crash leaves the one or the other. Calls of the old model finish first. */
  private void serve(int number, int previous) throws IOException {
    SentenceEncoder encoder = SentenceEncoder.load(model(number));
    Path fresh = Files.writeString(folder.resolve("served.new"), number + " " + previous + "\n");
    Files.move(fresh, folder.resolve("served"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Served old = served.getAndSet(new Served(encoder, number, previous));
    if (old != null) old.encoder.close();
  }

  private String embed(List<String> texts) {
    for (;;) {
      Served now = served.get();
      try {
        return "{\"model\": " + now.number + ", \"embeddings\": " + Arrays.deepToString(now.encoder.encode(texts)) + "}";
      } catch (ContrastiveException e) {
        // The model was changed and closed between the two lines above: take the new one. A call that has begun is never cut off.
        if (e.kind() != ContrastiveException.Kind.HANDLE || now == served.get()) throw e;
      }
    }
  }

  /** Keeps pairs until the next adaptation. */
  String collect(List<String> lines) {
    for (String line : lines) {
      if (line.split("\t", -1).length != 2) throw new IllegalArgumentException("a query, a tab and a document are needed, not: " + line);
    }
    synchronized (file) {
      try {
        Files.write(folder.resolve("pairs.tsv"), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.SYNC);
      } catch (IOException e) {
        throw new IllegalStateException("the pairs could not be kept", e);
      }
    }
    return "{\"collected\": " + lines.size() + "}";
  }

  /**
   * What the timer calls. Where enough pairs were collected, adapts the model to them and, where the result is better, serves it; the canary has the last word.
   * Stopped at any time, the next call goes on.
   *
   * @return what was done
   */
  synchronized String adapt() throws IOException {
    Served now = served.get();
    Path round = folder.resolve("round.tsv"), pairs = folder.resolve("pairs.tsv");
    int next = now.number + 1;
    while (Files.exists(model(next))) next++;  // a number is used once: what was rolled back keeps its folder
    if (Files.notExists(round)) {  // else a round was broken off: it goes on with its own pairs
      synchronized (file) {
        int count = Files.exists(pairs) ? Files.readAllLines(pairs).size() : 0;
        if (count < least) return count + " pairs of " + least + " were collected";
        Files.move(pairs, round);
      }
    }
    Report report;
    try (Dataset data = Dataset.open(round)) {
      report = now.encoder.adapt(data, null, model(next), config, stop);
    }
    Files.move(round, folder.resolve("model-" + next + ".tsv"), StandardCopyOption.REPLACE_EXISTING);
    if (!report.flag("shipped")) return "kept the model: " + report.text("reason");
    double before = canary.applyAsDouble(now.encoder);
    serve(next, now.number);
    double after = canary.applyAsDouble(served.get().encoder);
    if (after >= before) return "serves a better model: " + report.text("reason");
    rollback();
    return "rolled back: the canary fell from " + before + " to " + after;
  }

  /** Serves the model before this one again. */
  synchronized String rollback() {
    int previous = served.get().previous;
    if (previous < 0) throw new IllegalArgumentException("there is no model before this one");
    try {
      serve(previous, -1);
    } catch (IOException e) {
      throw new IllegalStateException("the model before could not be served", e);
    }
    return "{\"model\": " + previous + "}";
  }

  /** Answers what has arrived, stops an adaptation that runs, and lets the model go. */
  @Override
  public void close() {
    stop.trigger();
    timer.shutdown();
    server.stop(1);
    requests.shutdown();
    try {
      timer.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    served.get().encoder.close();
  }
}
