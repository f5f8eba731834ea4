import io.contrastive.ClosedException;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.ContrastiveException.Kind;
import io.contrastive.Example;
import io.contrastive.Library;
import io.contrastive.Log;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
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
 * A stress test: many threads load, encode, search, train, take snapshots, cancel, close, drop
 * objects, interrupt, replace the log sink and change arrays during calls, all at once and partly
 * wrongly. Exit status 1: a call gave an undocumented result or a wrong vector, or objects, memory,
 * descriptors or threads accumulate. Exit status 2: a thread hangs; the stacks of all threads are
 * printed. storm.sh runs it.
 *
 * <p>Arguments: the folder of the tiny model, seconds, and an optional seed. The time is divided
 * into rounds. Between two rounds everything is closed or collected, and what is left is measured:
 * a leak grows in every round.
 */
public final class Storm {
  private static final int THREADS = 8;
  private static final int HANG_SECONDS = 60;
  private static final long GROWTH_KILOBYTES =
      4_096; // of a round; one that grows less shows that nothing leaks by the call
  private static final int LONG_SECONDS = 600;
  private static final double MOST_HOURLY =
      48; // MB in a run as long as that: some 8 bytes an event
  static final String[] TEXTS = {
    "",
    " ",
    "the cat sat",
    "a dog runs",
    "two birds fly over the old house",
    "😀 é ø 漢字",
    "x".repeat(200),
    "the cat sat on the mat and the dog ran over the old house ".repeat(8),
    "red and blue",
    "a\0b"
  };
  static final Config TRAINING =
      Config.of(
          "method",
          "clsr",
          "batch_size",
          4,
          "max_steps",
          50,
          "lr",
          0.001,
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
          Example.pair("red and blue", "blue and red"));

  final Path model;
  final Path scratch = Files.createTempDirectory("contrastive-storm-");
  final float[][] expected;
  final int dimension;
  final int[] expectedIds;
  final AtomicReference<SentenceEncoder> shared = new AtomicReference<>();
  final AtomicReference<Trainer> sharedTrainer = new AtomicReference<>();
  final float[][] changingRows = new float[64][16];
  final List<String> changingTexts =
      Collections.synchronizedList(new ArrayList<>(List.of("the cat sat")));
  private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();
  final AtomicReference<Throwable> surprise = new AtomicReference<>();
  final Phaser barrier = new Phaser(1);
  private final Worker[] workers = new Worker[THREADS];
  volatile long roundEnd;
  volatile boolean over;

  interface Call {
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

  static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
      super(message);
    }
  }

  void count(String what) {
    counts.computeIfAbsent(what, key -> new AtomicLong()).incrementAndGet();
  }

  /** A call that may fail in these ways, because of what other threads do. */
  void may(EnumSet<Kind> kinds, Call call) throws Exception {
    try {
      call.run();
    } catch (ContrastiveException e) {
      if (!kinds.contains(e.kind())) throw e;
      count("refused " + e.kind());
    } catch (ClosedException e) {
      if (!kinds.contains(Kind.HANDLE)) throw e;
      count("refused HANDLE");
    }
  }

  /**
   * Misuse: the call must fail in this way, or because its thread was interrupted before the call.
   */
  void must(Kind kind, Call call) throws Exception {
    try {
      call.run();
    } catch (ContrastiveException e) {
      if (e.kind() != kind && e.kind() != Kind.CANCELLED) throw e;
      if (e.getMessage() == null || e.getMessage().isBlank())
        throw new Wrong("a refusal without a message: " + e.kind());
      count("refused " + e.kind());
      return;
    } catch (ClosedException e) {
      if (kind != Kind.HANDLE) throw e;
      count("refused HANDLE");
      return;
    }
    throw new Wrong("misuse was not refused with " + kind);
  }

  void mustBeNamed(String name, Call call) throws Exception {
    try {
      call.run();
    } catch (NullPointerException e) {
      if (!(name + " is null").equals(e.getMessage())) throw e;
      count("null named");
      return;
    }
    throw new Wrong("a null " + name + " was not refused");
  }

  void check(float[] got, int text) {
    for (int j = 0; j < dimension; j++) {
      if (!(Math.abs(got[j] - expected[text][j]) <= 1e-6)) {
        throw new Wrong(
            "text " + text + ", float " + j + ": " + got[j] + " instead of " + expected[text][j]);
      }
    }
    count("vectors compared");
  }

  static final class PlannedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * Interrupts workers, changes their arrays and lists, collects garbage, and checks whether a
   * worker hangs.
   */
  private void pester(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] row = new float[16];
    Arrays.fill(row, 1);
    float[][] rows = {
      null, new float[0], new float[15], new float[100_000], row, row, row, row, row, row
    };
    for (long i = 0; !over; i++) {
      for (int j = 0; j < 200; j++)
        changingRows[random.nextInt(64)] = rows[random.nextInt(rows.length)];
      if (i % 2 == 0) Arrays.fill(changingRows, row);
      if (changingTexts.size() < 40)
        changingTexts.add(random.nextInt(50) == 0 ? null : TEXTS[random.nextInt(TEXTS.length)]);
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
      if (since == Long.MAX_VALUE || System.nanoTime() - since < HANG_SECONDS * 1_000_000_000L)
        continue;
      System.out.printf(
          "storm java: FAILED: %s has been hanging in '%s' for %d s%n",
          worker.getName(), worker.doing, HANG_SECONDS);
      Thread.getAllStackTraces()
          .forEach(
              (thread, stack) -> {
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
      return new Usage(
          resident, entries("/proc/self/fd"), entries("/proc/self/task"), Library.liveHandles());
    }

    private static int entries(String folder) {
      return Path.of(folder).toFile().list().length;
    }
  }

  /** Closes the shared objects, collects the rest, and measures what is left. */
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
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          if (!(thrown instanceof PlannedException)) surprise.compareAndSet(null, thrown);
        });
    long roundSeconds = Math.max(2, Math.min(30, seconds / 6));
    int rounds = (int) Math.max(3, seconds / roundSeconds);
    barrier.bulkRegister(THREADS);
    roundEnd = System.nanoTime() + roundSeconds * 1_000_000_000L;
    for (int i = 0; i < THREADS; i++) workers[i] = new Worker(this, i, seed);
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
    int warm = usages.size() / 3; // the first rounds fill caches, arenas and the compiler's memory
    Usage first = usages.get(warm);
    Usage last = usages.get(usages.size() - 1);
    long least = Long.MAX_VALUE;
    for (int i = warm + 1; i < usages.size(); i++)
      least = Math.min(least, usages.get(i).kilobytes - usages.get(i - 1).kilobytes);
    double hourly = slope(usages.subList(warm, usages.size()), seconds / (double) usages.size());
    if (seconds >= LONG_SECONDS && hourly > MOST_HOURLY)
      complaints.add(String.format("resident memory grew by %.1f MB an hour", hourly));
    for (Usage usage : usages)
      if (usage.handles != 0)
        complaints.add(usage.handles + " native objects were left after a round");
    if (least > GROWTH_KILOBYTES)
      complaints.add("resident memory grew by " + least + " KB and more in every round");
    if (last.files > first.files + 4)
      complaints.add("open files went from " + first.files + " to " + last.files);
    if (last.threads > first.threads + 8)
      complaints.add("threads went from " + first.threads + " to " + last.threads);
    for (String needed :
        new String[] {
          "vectors compared",
          "load",
          "snapshot",
          "search",
          "train",
          "train shared",
          "cancel",
          "log",
          "misuse",
          "changing arrays",
          "thread of one call",
          "messages",
          "refused CANCELLED"
        }) {
      if (!counts.containsKey(needed)) complaints.add("nothing was counted as '" + needed + "'");
    }
    complaints.forEach(complaint -> System.out.println("storm java: FAILED: " + complaint));
    long calls = counts.values().stream().mapToLong(AtomicLong::get).sum();
    System.out.println("storm java: " + counts);
    System.out.printf(
        "storm java: resident memory after each round, MB:%s%n",
        usages.stream().map(usage -> " " + usage.kilobytes / 1024).reduce("", String::concat));
    // Less than two minutes of figures cannot be extrapolated to an hour.
    String slope =
        seconds < 120
            ? ""
            : String.format(
                ", %+.1f MB an hour over the last %d of %d rounds",
                hourly, usages.size() - warm, usages.size());
    System.out.printf(
        "storm java: %d s, %d threads, %d events; memory %+d KB in the best round%s; files %d to"
            + " %d, threads %d to %d, objects left %d; seed %d%n",
        seconds,
        THREADS,
        calls,
        least,
        slope,
        first.files,
        last.files,
        first.threads,
        last.threads,
        last.handles,
        seed);
    return complaints.isEmpty() ? 0 : 1;
  }

  /** The slope of a straight line through the figures, in megabytes an hour. */
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
