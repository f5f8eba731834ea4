import io.contrastive.Cancel;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.ContrastiveException.Kind;
import io.contrastive.Dataset;
import io.contrastive.EncodeOptions;
import io.contrastive.Example;
import io.contrastive.Library;
import io.contrastive.Log;
import io.contrastive.Metric;
import io.contrastive.Quantize;
import io.contrastive.Search;
import io.contrastive.SentenceEncoder;
import io.contrastive.Similarity;
import io.contrastive.Trainer;
import io.contrastive.Vectors;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Many threads do to the library what programs do, all at once and partly wrong: load, encode, search, train, take snapshots, cancel, close, forget,
 * interrupt, replace the log sink, change arrays during calls. It ends with 1 where a call gives what is not documented or a wrong vector, where
 * objects, memory, descriptors or threads accumulate, and with 2 and the stacks of all threads where one hangs. storm.sh runs it.
 *
 * <p>Arguments: the folder of the tiny model, seconds, and a seed (nullable). Time is cut into rounds. Between two of them everything is closed or
 * collected; what a round leaves behind is measured then, as the tests of flat memory do: what leaks grows in every round.
 */
public final class Storm {
  private static final int THREADS = 8;
  private static final int HANG_SECONDS = 60;
  private static final long GROWTH_KILOBYTES = 4_096;  // of a round; one that grows less shows that nothing leaks by the call
  private static final int LONG_SECONDS = 600;
  private static final double MOST_HOURLY = 48;  // MB in a run as long as that: some 8 bytes an event
  private static final String[] TEXTS = {"", " ", "the cat sat", "a dog runs", "two birds fly over the old house", "😀 é ø 漢字", "x".repeat(200),
      "the cat sat on the mat and the dog ran over the old house ".repeat(8), "red and blue", "a\0b"};
  private static final Config TRAINING = Config.of("method", "clsr", "batch_size", 4, "max_steps", 50, "lr", 0.001, "clsr.dimension", 8, "clsr.hidden", 8);
  private static final List<Example> PAIRS = List.of(Example.pair("the cat sat", "a cat sits"), Example.pair("a dog runs", "the dog ran"),
      Example.pair("two birds fly", "birds in the air"), Example.pair("the old house", "a very old house"), Example.pair("red and blue", "blue and red"));

  private final Path model;
  private final Path scratch = Files.createTempDirectory("contrastive-storm-");
  private final float[][] expected;
  private final int dimension;
  private final int[] expectedIds;
  private final AtomicReference<SentenceEncoder> shared = new AtomicReference<>();
  private final AtomicReference<Trainer> sharedTrainer = new AtomicReference<>();
  private final float[][] changingRows = new float[64][16];
  private final List<String> changingTexts = Collections.synchronizedList(new ArrayList<>(List.of("the cat sat")));
  private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();
  private final AtomicReference<Throwable> surprise = new AtomicReference<>();
  private final Phaser barrier = new Phaser(1);
  private final Worker[] workers = new Worker[THREADS];
  private volatile long roundEnd;
  private volatile boolean over;

  private interface Call {
    void run() throws Exception;
  }

  private Storm(Path model) throws IOException {
    this.model = model;
    for (float[] row : changingRows) Arrays.fill(row, 1);
    try (SentenceEncoder encoder = SentenceEncoder.load(model)) {
      expected = encoder.encode(List.of(TEXTS));
      dimension = encoder.dimension();
      expectedIds = encoder.tokenize(TEXTS[2]).ids();
    }
  }

  private static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
      super(message);
    }
  }

  private void count(String what) {
    counts.computeIfAbsent(what, key -> new AtomicLong()).incrementAndGet();
  }

  /** A call that may be refused in these ways, because of what other threads do. */
  private void may(EnumSet<Kind> kinds, Call call) throws Exception {
    try {
      call.run();
    } catch (ContrastiveException e) {
      if (!kinds.contains(e.kind())) throw e;
      count("refused " + e.kind());
    }
  }

  /** Misuse: the call must be refused in this way, or because its thread was interrupted before it began. */
  private void must(Kind kind, Call call) throws Exception {
    try {
      call.run();
    } catch (ContrastiveException e) {
      if (e.kind() != kind && e.kind() != Kind.CANCELLED) throw e;
      if (e.getMessage() == null || e.getMessage().isBlank()) throw new Wrong("a refusal without a message: " + e.kind());
      count("refused " + e.kind());
      return;
    }
    throw new Wrong("misuse was not refused with " + kind);
  }

  private void mustBeNamed(String name, Call call) throws Exception {
    try {
      call.run();
    } catch (NullPointerException e) {
      if (!(name + " is null").equals(e.getMessage())) throw e;
      count("null named");
      return;
    }
    throw new Wrong("a null " + name + " was not refused");
  }

  private void check(float[] got, int text) {
    for (int j = 0; j < dimension; j++) {
      if (!(Math.abs(got[j] - expected[text][j]) <= 1e-6)) {
        throw new Wrong("text " + text + ", float " + j + ": " + got[j] + " instead of " + expected[text][j]);
      }
    }
    count("vectors compared");
  }

  /** What can go away under a call, or be stopped, or be in use. */
  private static final EnumSet<Kind> ELSEWHERE = EnumSet.of(Kind.HANDLE, Kind.CANCELLED, Kind.BUSY);

  private final class Worker extends Thread {
    private final SplittableRandom random;
    private final FloatBuffer buffer = Vectors.allocate(TEXTS.length, expected[0].length);
    volatile long since = System.nanoTime();
    volatile String doing = "nothing yet";

    Worker(int i, long seed) {
      super("storm-" + i);
      random = new SplittableRandom(seed + i);
      setDaemon(true);
    }

    @Override
    public void run() {
      while (!over) {
        while (System.nanoTime() < roundEnd && surprise.get() == null) {
          since = System.nanoTime();
          Thread.interrupted();
          try {
            act(random.nextInt(1000));
          } catch (InterruptedException e) {
            count("interrupted");
          } catch (Throwable e) {
            surprise.compareAndSet(null, new IllegalStateException("while it did '" + doing + "'", e));
          }
        }
        Thread.interrupted();
        since = Long.MAX_VALUE;
        barrier.arriveAndAwaitAdvance();  // the round is over
        barrier.arriveAndAwaitAdvance();  // the next begins
      }
    }

    private void does(String what, Call call) throws Exception {
      doing = what;
      call.run();
      count(what);
    }

    private void act(int dice) throws Exception {
      if (dice < 400) does("encode", this::encode);
      else if (dice < 450) does("load", () -> replace(SentenceEncoder.load(model)));
      else if (dice < 480) does("snapshot", this::snapshot);
      else if (dice < 560) does("search", this::search);
      else if (dice < 620) does("train", this::train);
      else if (dice < 700) does("train shared", this::trainShared);
      else if (dice < 780) does("cancel", this::cancel);
      else if (dice < 820) does("log", this::log);
      else if (dice < 930) does("misuse", this::misuse);
      else if (dice < 980) does("changing arrays", this::changingArrays);
      else if (dice < 995) does("thread of one call", this::shortThread);
      else does("save", this::save);
    }

    /** The encoder that all use; the one before it is closed, or forgotten. */
    private void replace(SentenceEncoder encoder) {
      SentenceEncoder former = shared.getAndSet(encoder);
      if (former != null && random.nextInt(4) > 0) former.close();
    }

    private SentenceEncoder current() {
      SentenceEncoder encoder = shared.get();
      if (encoder != null) return encoder;
      encoder = SentenceEncoder.load(model);
      if (shared.compareAndSet(null, encoder)) return encoder;
      encoder.close();
      return current();
    }

    private void encode() throws Exception {
      SentenceEncoder encoder = current();
      int n = 1 + random.nextInt(TEXTS.length);
      int first = random.nextInt(TEXTS.length);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < n; i++) texts.add(TEXTS[(first + i) % TEXTS.length]);
      may(ELSEWHERE, () -> {
        switch (random.nextInt(5)) {
          case 0 -> check(encoder.encode(TEXTS[first]), first);
          case 1 -> {
            buffer.clear();
            encoder.encode(texts, EncodeOptions.defaults(), buffer);
            float[] row = new float[dimension];
            for (int i = 0; i < n; i++) {
              buffer.position(i * dimension).get(row);
              check(row, (first + i) % TEXTS.length);
            }
          }
          case 2 -> {
            float[] flat = new float[n * dimension + 3];
            int[] tokens = new int[n + 1];
            encoder.encode(texts, EncodeOptions.defaults().withTokenCounts(tokens).withBatchTokens(1 + random.nextInt(100)), flat);
            for (int i = 0; i < n; i++) {
              check(Arrays.copyOfRange(flat, i * dimension, (i + 1) * dimension), (first + i) % TEXTS.length);
              if (tokens[i] < 2) throw new Wrong("text " + i + " has " + tokens[i] + " tokens");
            }
          }
          case 3 -> {
            if (!Arrays.equals(expectedIds, encoder.tokenize(TEXTS[2]).ids())) throw new Wrong("other tokens");
          }
          default -> {
            float[][] rows = encoder.encode(texts);
            for (int i = 0; i < n; i++) check(rows[i], (first + i) % TEXTS.length);
          }
        }
      });
    }

    private void snapshot() throws Exception {
      may(ELSEWHERE, () -> {
        SentenceEncoder copy = current().snapshot();
        check(copy.encode(TEXTS[4]), 4);
        if (random.nextBoolean()) replace(copy);
        else if (random.nextBoolean()) copy.close();
      });
    }

    private void search() throws Exception {
      float[][] rows = new float[1 + random.nextInt(200)][16];
      for (float[] row : rows) {
        for (int j = 0; j < row.length; j++) row[j] = (float) random.nextDouble() - 0.5f;
      }
      int query = random.nextInt(rows.length);
      may(ELSEWHERE, () -> {
        Search.Hits hits = Search.nearest(new float[][] {rows[query]}, rows, 3, Metric.COSINE)[0];
        if (hits.scores()[0] < 1 - 1e-5) throw new Wrong("a vector is " + hits.scores()[0] + " like itself");
        if (Math.abs(Similarity.score(rows[query], rows[hits.indices()[0]], Metric.COSINE) - hits.scores()[0]) > 1e-6) throw new Wrong("other score");
        if (Quantize.binary(Vectors.of(rows)).length != rows.length) throw new Wrong("rows are missing");
      });
    }

    private Trainer trainer(Dataset data, int steps) {
      return Trainer.start(current(), data, TRAINING.with("max_steps", steps).with("seed", random.nextInt(1000)));
    }

    private void train() throws Exception {
      may(ELSEWHERE, () -> {
        Dataset data = Dataset.create();
        PAIRS.forEach(data::add);
        Trainer trainer = trainer(data, 4);
        int steps = 0;
        while (random.nextInt(6) > 0 && trainer.step()) steps++;
        if (steps > 0 && !(trainer.metric("step") == steps)) throw new Wrong(trainer.metrics() + " after " + steps + " steps");
        if (random.nextBoolean()) {
          SentenceEncoder trained = trainer.model();
          for (float value : trained.encode(TEXTS[2])) if (!Float.isFinite(value)) throw new Wrong("a vector is not finite");
          if (random.nextBoolean()) trained.close();
        }
        if (random.nextInt(3) > 0) trainer.close();
        if (random.nextInt(3) > 0) data.close();
      });
    }

    /** One trainer for all: whoever comes second is told BUSY. */
    private void trainShared() throws Exception {
      may(ELSEWHERE, () -> {
        Trainer trainer = sharedTrainer.get();
        if (trainer == null || random.nextInt(20) == 0) {
          Trainer former = sharedTrainer.getAndSet(trainer(null, 1_000_000));
          if (former != null) former.close();
          return;
        }
        switch (random.nextInt(4)) {
          case 0 -> trainer.metrics();
          case 1 -> {
            SentenceEncoder trained = trainer.model();
            if (random.nextBoolean()) trained.close();
          }
          default -> trainer.batch(PAIRS);
        }
      });
    }

    private void cancel() throws Exception {
      Cancel cancel = new Cancel();
      List<String> many = Collections.nCopies(50 + random.nextInt(400), TEXTS[7]);
      Thread other = new Thread(() -> {
        long until = System.nanoTime() + random.split().nextInt(20_000_000);
        while (System.nanoTime() < until) Thread.onSpinWait();
        cancel.trigger();
      });
      other.setDaemon(true);
      other.start();
      may(ELSEWHERE, () -> current().encode(many, EncodeOptions.defaults().withCancel(cancel).withBatchTokens(64)));
      other.join();
      must(Kind.CANCELLED, () -> {
        try (SentenceEncoder encoder = SentenceEncoder.load(model)) {
          encoder.encode(many, EncodeOptions.defaults().withCancel(cancel));
        }
      });
    }

    private void log() throws Exception {
      Log.Sink sink = (level, message) -> {
        count("messages");
        try {
          Log.clear();
          surprise.compareAndSet(null, new Wrong("a sink was allowed to clear itself"));
        } catch (ContrastiveException e) {
          if (e.kind() != Kind.BUSY) surprise.compareAndSet(null, e);
        }
        try {
          Library.setThreads(1);
          surprise.compareAndSet(null, new Wrong("a sink was allowed to call the library"));
        } catch (ContrastiveException e) {
          if (e.kind() != Kind.BUSY) surprise.compareAndSet(null, e);
        }
        throw new PlannedException();
      };
      switch (random.nextInt(3)) {
        case 0 -> Log.clear();
        case 1 -> Log.setSink(sink, Log.Level.INFO);
        default -> Log.setSink(sink, Log.Level.DEBUG);
      }
    }

    private void misuse() throws Exception {
      switch (random.nextInt(14)) {
        case 0 -> {
          SentenceEncoder closed = SentenceEncoder.load(model);
          closed.close();
          closed.close();
          must(Kind.HANDLE, () -> closed.encode("a"));
          must(Kind.HANDLE, closed::snapshot);
          must(Kind.HANDLE, () -> closed.tokenize("a"));
          must(Kind.HANDLE, () -> Trainer.start(closed, null, TRAINING));
        }
        case 1 -> mustBeNamed("text", () -> current().encode((String) null));
        case 2 -> mustBeNamed("texts[1]", () -> current().encode(Arrays.asList("a", null)));
        case 3 -> mustBeNamed("rows[1]", () -> Vectors.of(new float[][] {{1}, null}));
        case 4 -> {
          float[][] rows = {{1, 2}, {3, 4}};
          Vectors vectors = Vectors.of(rows);
          rows[1] = null;
          mustBeNamed("rows[1]", () -> Similarity.matrix(vectors, vectors, Metric.DOT));
          rows[1] = new float[random.nextInt(100) + 3];
          must(Kind.ARGUMENT, () -> Search.nearest(vectors, vectors, 1, Metric.DOT, null));
        }
        case 5 -> must(Kind.ARGUMENT, () -> Similarity.score(new float[3], new float[4], Metric.COSINE));
        case 6 -> must(Kind.ARGUMENT, () -> Search.nearest(new float[][] {{1}}, new float[][] {{1}}, -random.nextInt(1000), Metric.DOT));
        case 7 -> must(Kind.NOT_FOUND, () -> SentenceEncoder.load(scratch.resolve("nowhere")));
        case 8 -> must(Kind.ARGUMENT, () -> SentenceEncoder.load(model, Config.of("precison", "float32")));
        case 9 -> must(Kind.FORMAT, () -> Config.parse("{\"a\": "));
        case 10 -> {
          try (SentenceEncoder encoder = SentenceEncoder.load(model)) {
            must(Kind.ARGUMENT, () -> encoder.encode(List.of("a", "b"), EncodeOptions.defaults().withTruncateDim(-1)));
            must(Kind.BUFFER, () -> encoder.encode(List.of("a", "b"), EncodeOptions.defaults(), new float[dimension]));
            must(Kind.BUFFER, () -> encoder.encode(List.of("a", "b"), EncodeOptions.defaults().withTokenCounts(new int[1])));
          }
        }
        case 11 -> {
          Dataset data = Dataset.create();
          data.add("a");
          must(Kind.ARGUMENT, () -> data.add("a", "b"));
          data.close();
          must(Kind.HANDLE, () -> data.add("a"));
        }
        case 12 -> must(Kind.ARGUMENT, () -> Config.of("a"));
        default -> must(Kind.ARGUMENT, () -> Library.setThreads(-1 - random.nextInt(9)));
      }
    }

    private void changingArrays() throws Exception {
      float[] ones = new float[16];
      Arrays.fill(ones, 1);
      try {
        float[][] scores = Similarity.matrix(Vectors.of(changingRows), Vectors.of(new float[][] {ones}), Metric.DOT);
        for (float[] score : scores) if (score[0] != 16) throw new Wrong("a score of foreign memory: " + score[0]);
        may(ELSEWHERE, () -> current().encode(changingTexts));
      } catch (NullPointerException e) {
        if (e.getMessage() == null || !e.getMessage().matches("(rows|texts)\\[\\d+\\] is null")) throw e;
        count("changed under a call");
      } catch (ContrastiveException e) {
        if (e.kind() != Kind.ARGUMENT || !(e.getMessage().contains("row") || e.getMessage().contains("dimension"))) throw e;
        count("changed under a call");
      }
    }

    /** Threads that come and go: what the library keeps for each must go with it. */
    private void shortThread() throws Exception {
      Thread thread = new Thread(() -> {
        try {
          may(ELSEWHERE, () -> check(current().encode(TEXTS[3]), 3));
        } catch (Throwable e) {
          surprise.compareAndSet(null, e);
        }
      }, "storm-short");
      thread.setDaemon(true);
      thread.start();
      thread.join();
    }

    private void save() throws Exception {
      Path folder = scratch.resolve(getName());
      may(ELSEWHERE, () -> {
        current().save(folder);
        try (SentenceEncoder again = SentenceEncoder.load(folder)) {
          check(again.encode(TEXTS[4]), 4);
        }
      });
    }
  }

  private static final class PlannedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Interrupts workers, changes arrays and lists under them, collects garbage; and looks for who hangs. */
  private void pester(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] row = new float[16];
    Arrays.fill(row, 1);
    float[][] rows = {null, new float[0], new float[15], new float[100_000], row, row, row, row, row, row};
    for (long i = 0; !over; i++) {
      for (int j = 0; j < 200; j++) changingRows[random.nextInt(64)] = rows[random.nextInt(rows.length)];
      if (i % 2 == 0) Arrays.fill(changingRows, row);
      if (changingTexts.size() < 40) changingTexts.add(random.nextInt(50) == 0 ? null : TEXTS[random.nextInt(TEXTS.length)]);
      else changingTexts.subList(1, changingTexts.size()).clear();
      Worker worker = workers[random.nextInt(THREADS)];
      if (i % 8 == 0 && worker.since != Long.MAX_VALUE) worker.interrupt();
      if (i % 200 == 0) System.gc();
      if (i % 500 == 0) watch();
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void watch() {
    for (Worker worker : workers) {
      long since = worker.since;
      if (since == Long.MAX_VALUE || System.nanoTime() - since < HANG_SECONDS * 1_000_000_000L) continue;
      System.out.printf("storm java: FAILED: %s hangs in '%s' since %d s%n", worker.getName(), worker.doing, HANG_SECONDS);
      Thread.getAllStackTraces().forEach((thread, stack) -> {
        System.out.println(thread);
        for (StackTraceElement element : stack) System.out.println("    " + element);
      });
      System.out.flush();
      Runtime.getRuntime().halt(2);
    }
  }

  private record Usage(long kilobytes, int files, int threads, long handles) {
    static Usage now() throws IOException {
      long resident = 0;
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) resident = Long.parseLong(line.replaceAll("\\D", ""));
      }
      return new Usage(resident, entries("/proc/self/fd"), entries("/proc/self/task"), Library.liveHandles());
    }

    private static int entries(String folder) {
      return Path.of(folder).toFile().list().length;
    }
  }

  /** Closes what is shared, has the rest collected, and measures. */
  private Usage quiet() throws Exception {
    SentenceEncoder encoder = shared.getAndSet(null);
    if (encoder != null) encoder.close();
    Trainer trainer = sharedTrainer.getAndSet(null);
    if (trainer != null) trainer.close();
    Log.clear();
    for (int i = 0; i < 200 && Library.liveHandles() > 0; i++) {
      System.gc();
      Thread.sleep(25);
    }
    return Usage.now();
  }

  private int run(int seconds, long seed) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
      if (!(thrown instanceof PlannedException)) surprise.compareAndSet(null, thrown);
    });
    long roundSeconds = Math.max(2, Math.min(30, seconds / 6));
    int rounds = (int) Math.max(3, seconds / roundSeconds);
    barrier.bulkRegister(THREADS);
    roundEnd = System.nanoTime() + roundSeconds * 1_000_000_000L;
    for (int i = 0; i < THREADS; i++) workers[i] = new Worker(i, seed);
    for (Worker worker : workers) worker.start();
    Thread pest = new Thread(() -> pester(seed + 1000), "storm-pest");
    pest.setDaemon(true);
    pest.start();

    List<Usage> usages = new ArrayList<>();
    long began = System.nanoTime();
    for (int round = 0; round < rounds && surprise.get() == null; round++) {
      barrier.arriveAndAwaitAdvance();
      usages.add(quiet());
      over = round + 1 == rounds || surprise.get() != null;
      roundEnd = System.nanoTime() + roundSeconds * 1_000_000_000L;
      barrier.arriveAndAwaitAdvance();
    }
    for (Worker worker : workers) worker.join(HANG_SECONDS * 1_000L);
    pest.join();
    try (var files = Files.walk(scratch)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
    if (surprise.get() != null) {
      surprise.get().printStackTrace(System.out);
      System.out.println("storm java: FAILED: seed " + seed);
      return 1;
    }
    return judge(usages, (System.nanoTime() - began) / 1_000_000_000L, seed);
  }

  private int judge(List<Usage> usages, long seconds, long seed) {
    List<String> complaints = new ArrayList<>();
    int warm = usages.size() / 3;  // the first rounds fill caches, arenas and the compiler's memory
    Usage first = usages.get(warm);
    Usage last = usages.get(usages.size() - 1);
    long least = Long.MAX_VALUE;
    for (int i = warm + 1; i < usages.size(); i++) least = Math.min(least, usages.get(i).kilobytes - usages.get(i - 1).kilobytes);
    double hourly = slope(usages.subList(warm, usages.size()), seconds / (double) usages.size());
    if (seconds >= LONG_SECONDS && hourly > MOST_HOURLY) complaints.add(String.format("resident memory grew by %.1f MB an hour", hourly));
    for (Usage usage : usages) if (usage.handles != 0) complaints.add(usage.handles + " native objects were left after a round");
    if (least > GROWTH_KILOBYTES) complaints.add("resident memory grew by " + least + " KB and more in every round");
    if (last.files > first.files + 4) complaints.add("open files went from " + first.files + " to " + last.files);
    if (last.threads > first.threads + 8) complaints.add("threads went from " + first.threads + " to " + last.threads);
    for (String needed : new String[] {"vectors compared", "load", "snapshot", "search", "train", "train shared", "cancel", "log", "misuse",
        "changing arrays", "thread of one call", "messages", "refused CANCELLED"}) {
      if (!counts.containsKey(needed)) complaints.add("nothing was counted as '" + needed + "'");
    }
    complaints.forEach(complaint -> System.out.println("storm java: FAILED: " + complaint));
    long calls = counts.values().stream().mapToLong(AtomicLong::get).sum();
    System.out.println("storm java: " + counts);
    System.out.printf("storm java: resident memory after each round, MB:%s%n",
        usages.stream().map(usage -> " " + usage.kilobytes / 1024).reduce("", String::concat));
    // A line through less than two minutes says nothing about an hour.
    String slope = seconds < 120 ? "" : String.format(", %+.1f MB an hour over the last %d of %d rounds", hourly, usages.size() - warm, usages.size());
    System.out.printf("storm java: %d s, %d threads, %d events; memory %+d KB in the best round%s; files %d to %d, threads %d to %d, objects left %d; "
        + "seed %d%n", seconds, THREADS, calls, least, slope, first.files, last.files, first.threads, last.threads, last.handles, seed);
    return complaints.isEmpty() ? 0 : 1;
  }

  /** Of a straight line through what was measured, in megabytes an hour. */
  private static double slope(List<Usage> usages, double roundSeconds) {
    double n = usages.size();
    double middle = (n - 1) / 2;
    double mean = usages.stream().mapToLong(Usage::kilobytes).average().orElse(0);
    double up = 0;
    double across = 0;
    for (int i = 0; i < n; i++) {
      up += (i - middle) * (usages.get(i).kilobytes - mean);
      across += (i - middle) * (i - middle);
    }
    return across == 0 ? 0 : up / across / 1024 * 3600 / roundSeconds;
  }

  public static void main(String[] arguments) throws Exception {
    long seed = arguments.length > 2 ? Long.parseLong(arguments[2]) : System.nanoTime();
    System.exit(new Storm(Path.of(arguments[0])).run(Integer.parseInt(arguments[1]), seed));
  }
}
