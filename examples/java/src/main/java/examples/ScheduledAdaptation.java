package examples;

import com.sun.net.httpserver.HttpServer;
import io.contrastive.Cancel;
import io.contrastive.ClosedException;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.ContrastiveException.Kind;
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
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * A service that embeds texts over HTTP, collects pairs, and adapts its model to them on a timer. A
 * better model replaces the current one without a dropped request, unless its canary score is
 * lower. The previous model is kept for a rollback.
 *
 * <pre>
 * POST /embed      one text per line: returns {"model": 3, "embeddings": [[...], ...]}
 * POST /pairs      one query, a tab and a document per line
 * POST /rollback   serves the model before this one
 * </pre>
 *
 * <p>The folder contains the models "model-0", "model-1", ..., the file "served" with the numbers
 * of the current and the previous model, and the pairs that no model was trained on yet. The pairs
 * of finished rounds are in "model-1.tsv" and so on, those of failed rounds in "failed-1.tsv".
 */
public final class ScheduledAdaptation implements AutoCloseable {
  /** A model, its number, and that of the one before; -1 where there is none. */
  record Served(SentenceEncoder encoder, int number, int previous) {}

  /**
   * Ends a round if the model was rolled back during it. Its pairs stay, and the next round starts
   * from the model that is served then.
   */
  private static final String CHANGED = "the model was changed meanwhile";

  /** What fails the same way however often it is tried. */
  private static final Set<Kind> LASTING =
      EnumSet.of(Kind.ARGUMENT, Kind.FORMAT, Kind.LIMIT, Kind.MISMATCH, Kind.CORRUPT);

  private final Path folder;
  private final ToDoubleFunction<SentenceEncoder> canary;
  private final int least;
  private final Config config;
  private final Cancel stop = new Cancel();
  private final AtomicReference<Served> served = new AtomicReference<>();
  private final ExecutorService requests = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Object turn = new Object(); // held while the model is changed
  private final Object file = new Object(); // held while pairs are written
  private final HttpServer server;

  /**
   * Opens an existing folder, or creates one with the model {@code start}.
   *
   * @param canary returns a model's canary score; a new model with a lower score is not served
   * @param least the minimum number of pairs for an adaptation
   * @param config keys of {@code Config.describe("adapt")}
   */
  public ScheduledAdaptation(
      Path folder,
      Path start,
      ToDoubleFunction<SentenceEncoder> canary,
      int least,
      Config config,
      int port)
      throws IOException {
    this.folder = folder;
    this.canary = canary;
    this.least = least;
    this.config = config;
    Path names = folder.resolve("served");
    if (Files.exists(names)) {
      String[] numbers = Files.readString(names).strip().split(" ");
      serve(
          load(Integer.parseInt(numbers[0])),
          Integer.parseInt(numbers[0]),
          Integer.parseInt(numbers[1]));
    } else {
      try (SentenceEncoder first = SentenceEncoder.load(start)) {
        first.save(model(0));
      }
      serve(load(0), 0, -1);
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
    server.setExecutor(requests);
    server.createContext("/embed", exchange -> EmbeddingService.answer(exchange, this::embed));
    server.createContext("/pairs", exchange -> EmbeddingService.answer(exchange, this::collect));
    server.createContext(
        "/rollback", exchange -> EmbeddingService.answer(exchange, lines -> rollback()));
    server.start();
  }

  /** MODELS START PORT HOURS [CANARY.tsv] */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 4)
      throw new IllegalArgumentException(
          "usage: ScheduledAdaptation MODELS START PORT HOURS [CANARY.tsv]");
    ToDoubleFunction<SentenceEncoder> canary =
        arguments.length > 4 ? found(Path.of(arguments[4])) : encoder -> 0;
    ScheduledAdaptation service =
        new ScheduledAdaptation(
            Path.of(arguments[0]),
            Path.of(arguments[1]),
            canary,
            1000,
            Config.of("min_gain", 0.01),
            Integer.parseInt(arguments[2]));
    Runtime.getRuntime().addShutdownHook(new Thread(service::close));
    service.every(Duration.ofHours(Long.parseLong(arguments[3])));
    System.out.println("serving on port " + service.port());
  }

  /** How often the queries of a file find their documents. */
  static ToDoubleFunction<SentenceEncoder> found(Path pairs) {
    return encoder ->
        encoder
            .evaluate("retrieval", Config.of("data", pairs.toString()))
            .number("recall@1")
            .getAsDouble();
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
    timer.scheduleWithFixedDelay(
        () -> {
          try {
            System.out.println(adapt());
          } catch (IOException | RuntimeException e) {
            System.err.println("adapting failed: " + e.getMessage());
          }
        },
        time.toMillis(),
        time.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private Path model(int number) {
    return folder.resolve("model-" + number);
  }

  private SentenceEncoder load(int number) {
    return SentenceEncoder.load(model(number));
  }

  /** Where the pairs of a round lie once it is over. */
  private Path kept(int number) {
    return folder.resolve("model-" + number + ".tsv");
  }

  /**
   * Changes to a model. The file with its number is replaced atomically, so a crash leaves the old
   * or the new number. Calls of the old model finish first.
   */
  private void serve(SentenceEncoder encoder, int number, int previous) throws IOException {
    Path fresh = Files.writeString(folder.resolve("served.new"), number + " " + previous + "\n");
    Files.move(
        fresh,
        folder.resolve("served"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    Served old = served.getAndSet(new Served(encoder, number, previous));
    if (old != null) old.encoder.close();
  }

  private String embed(List<String> texts) {
    for (; ; ) {
      Served now = served.get();
      try {
        return "{\"model\": "
            + now.number
            + ", \"embeddings\": "
            + Arrays.deepToString(now.encoder.encode(texts))
            + "}";
      } catch (ClosedException e) {
        // The model was changed and closed between the two lines above. Use the new one. Closing
        // does not interrupt a running call.
        if (now == served.get()) throw e;
      }
    }
  }

  /** Keeps pairs until the next adaptation. */
  String collect(List<String> lines) {
    for (String line : lines.isEmpty() ? List.of("") : lines) {
      if (line.split("\t", -1).length != 2)
        throw new IllegalArgumentException(
            "a query, a tab and a document are needed, not: " + line);
    }
    synchronized (file) {
      try {
        Files.write(
            folder.resolve("pairs.tsv"),
            lines,
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND,
            StandardOpenOption.SYNC);
      } catch (IOException e) {
        throw new IllegalStateException("the pairs could not be kept", e);
      }
    }
    return "{\"collected\": " + lines.size() + "}";
  }

  /**
   * Called by the timer. If enough pairs were collected, adapts the model to them, and serves the
   * result if it is better and the canary score is not lower. If the process is stopped, the next
   * call resumes the round.
   *
   * @return what was done
   */
  synchronized String adapt() throws IOException {
    Served now = served.get();
    Path round = folder.resolve("round.tsv"), pairs = folder.resolve("pairs.tsv");
    int next = now.number + 1;
    while (Files.exists(model(next)) || Files.exists(kept(next)))
      next++; // rejected and rolled-back models keep their files and numbers
    if (Files.notExists(round)) { // else resume the interrupted round with its own pairs
      synchronized (file) {
        int count = Files.exists(pairs) ? Files.readAllLines(pairs).size() : 0;
        if (count < least) return count + " pairs of " + least + " were collected";
        Files.move(pairs, round);
      }
    }
    double before = canary.applyAsDouble(now.encoder);
    Report report;
    try (Dataset data = Dataset.open(round, Config.of("data.on_error", "skip"))) {
      report = now.encoder.adapt(data, null, model(next), config, stop);
    } catch (ClosedException e) {
      if (served.get() != now) return CHANGED;
      throw e;
    } catch (ContrastiveException e) {
      if (LASTING.contains(e.kind())) giveUp(round, next, e.kind());
      throw e;
    }
    String reason = report.text("reason");
    String done =
        report.flag("shipped") ? takeOver(now, next, before, reason) : "kept the model: " + reason;
    if (!done.equals(CHANGED)) Files.move(round, kept(next));
    return done;
  }

  /** Serves a model that was adapted, unless the canary fell or somebody rolled back. */
  private String takeOver(Served now, int next, double before, String reason) throws IOException {
    SentenceEncoder fresh = load(next);
    try {
      double after = canary.applyAsDouble(fresh);
      if (!(after >= before))
        return "kept the model: the canary fell from " + before + " to " + after;
      synchronized (turn) {
        if (served.get() != now) return CHANGED;
        serve(fresh, next, now.number);
      }
      return "serves a better model: " + reason;
    } finally {
      if (served.get().encoder != fresh) fresh.close();
    }
  }

  /**
   * Removes the work of a round that would fail again, and sets its pairs aside. If only the work
   * does not match the model, the pairs stay for the next round.
   */
  private void giveUp(Path round, int number, Kind kind) throws IOException {
    Path work = folder.resolve("model-" + number + ".adapting");
    if (Files.exists(work)) {
      try (Stream<Path> files = Files.walk(work)) {
        for (Path path : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
      }
    }
    if (kind == Kind.MISMATCH) return;
    while (Files.exists(folder.resolve("failed-" + number + ".tsv"))) number++;
    Files.move(round, folder.resolve("failed-" + number + ".tsv"));
  }

  /** Returns to the previous model. */
  String rollback() {
    synchronized (turn) {
      int previous = served.get().previous;
      if (previous < 0) throw new IllegalArgumentException("there is no model before this one");
      try {
        serve(load(previous), previous, -1);
      } catch (IOException e) {
        throw new IllegalStateException("the model before could not be served", e);
      }
      return "{\"model\": " + previous + "}";
    }
  }

  /** Finishes running requests, stops a running adaptation, and frees the model. */
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
