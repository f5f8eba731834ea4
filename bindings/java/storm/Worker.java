import io.contrastive.Cancel;
import io.contrastive.Config;
import io.contrastive.ContrastiveException;
import io.contrastive.ContrastiveException.Kind;
import io.contrastive.Dataset;
import io.contrastive.EncodeOptions;
import io.contrastive.Library;
import io.contrastive.Log;
import io.contrastive.Metric;
import io.contrastive.Quantize;
import io.contrastive.Search;
import io.contrastive.SentenceEncoder;
import io.contrastive.Similarity;
import io.contrastive.Trainer;
import io.contrastive.Vectors;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/** One thread of the stress test, which makes random calls until the round is over. */
final class Worker extends Thread {
  /** Errors of calls whose object may be closed, cancelled or in use by another thread. */
  private static final EnumSet<Kind> ELSEWHERE = EnumSet.of(Kind.HANDLE, Kind.CANCELLED, Kind.BUSY);

  private final Storm storm;
  private final SplittableRandom random;
  private final FloatBuffer buffer;
  volatile long since = System.nanoTime();
  volatile String doing = "nothing yet";

  Worker(Storm storm, int i, long seed) {
    super("storm-" + i);
    this.storm = storm;
    buffer = Vectors.allocate(Storm.TEXTS.length, storm.dimension);
    random = new SplittableRandom(seed + i);
    setDaemon(true);
  }

  @Override
  public void run() {
    while (!storm.over) {
      while (System.nanoTime() < storm.roundEnd && storm.surprise.get() == null) {
        since = System.nanoTime();
        Thread.interrupted();
        try {
          act(random.nextInt(1000));
        } catch (InterruptedException e) {
          storm.count("interrupted");
        } catch (Throwable e) {
          storm.surprise.compareAndSet(
              null, new IllegalStateException("while it did '" + doing + "'", e));
        }
      }
      Thread.interrupted();
      since = Long.MAX_VALUE;
      storm.barrier.arriveAndAwaitAdvance(); // the round is over
      storm.barrier.arriveAndAwaitAdvance(); // the next begins
    }
  }

  private void does(String what, Storm.Call call) throws Exception {
    doing = what;
    call.run();
    storm.count(what);
  }

  private void act(int dice) throws Exception {
    if (dice < 400) does("encode", this::encode);
    else if (dice < 450) does("load", () -> replace(SentenceEncoder.load(storm.model)));
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

  /** Replaces the encoder that all threads use, and closes or drops the old one. */
  private void replace(SentenceEncoder encoder) {
    SentenceEncoder former = storm.shared.getAndSet(encoder);
    if (former != null && random.nextInt(4) > 0) former.close();
  }

  private SentenceEncoder current() {
    SentenceEncoder encoder = storm.shared.get();
    if (encoder != null) return encoder;
    encoder = SentenceEncoder.load(storm.model);
    if (storm.shared.compareAndSet(null, encoder)) return encoder;
    encoder.close();
    return current();
  }

  private void encode() throws Exception {
    SentenceEncoder encoder = current();
    int n = 1 + random.nextInt(Storm.TEXTS.length);
    int first = random.nextInt(Storm.TEXTS.length);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < n; i++) texts.add(Storm.TEXTS[(first + i) % Storm.TEXTS.length]);
    storm.may(
        ELSEWHERE,
        () -> {
          switch (random.nextInt(5)) {
            case 0 -> storm.check(encoder.encode(Storm.TEXTS[first]), first);
            case 1 -> {
              buffer.clear();
              encoder.encode(texts, EncodeOptions.defaults(), buffer);
              float[] row = new float[storm.dimension];
              for (int i = 0; i < n; i++) {
                buffer.position(i * storm.dimension).get(row);
                storm.check(row, (first + i) % Storm.TEXTS.length);
              }
            }
            case 2 -> {
              float[] flat = new float[n * storm.dimension + 3];
              int[] tokens = new int[n + 1];
              encoder.encode(
                  texts,
                  EncodeOptions.defaults()
                      .withTokenCounts(tokens)
                      .withBatchTokens(1 + random.nextInt(100)),
                  flat);
              for (int i = 0; i < n; i++) {
                storm.check(
                    Arrays.copyOfRange(flat, i * storm.dimension, (i + 1) * storm.dimension),
                    (first + i) % Storm.TEXTS.length);
                if (tokens[i] < 2)
                  throw new Storm.Wrong("text " + i + " has " + tokens[i] + " tokens");
              }
            }
            case 3 -> {
              if (!Arrays.equals(storm.expectedIds, encoder.tokenize(Storm.TEXTS[2]).ids()))
                throw new Storm.Wrong("other tokens");
            }
            default -> {
              float[][] rows = encoder.encode(texts);
              for (int i = 0; i < n; i++) storm.check(rows[i], (first + i) % Storm.TEXTS.length);
            }
          }
        });
  }

  private void snapshot() throws Exception {
    storm.may(
        ELSEWHERE,
        () -> {
          SentenceEncoder copy = current().snapshot();
          storm.check(copy.encode(Storm.TEXTS[4]), 4);
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
    storm.may(
        ELSEWHERE,
        () -> {
          Search.Hits hits = Search.nearest(new float[][] {rows[query]}, rows, 3, Metric.COSINE)[0];
          if (hits.scores()[0] < 1 - 1e-5)
            throw new Storm.Wrong("a vector is " + hits.scores()[0] + " like itself");
          if (Math.abs(
                  Similarity.score(rows[query], rows[hits.indices()[0]], Metric.COSINE)
                      - hits.scores()[0])
              > 1e-6) throw new Storm.Wrong("other score");
          if (Quantize.binary(Vectors.of(rows)).length != rows.length)
            throw new Storm.Wrong("rows are missing");
        });
  }

  private Trainer trainer(Dataset data, int steps) {
    return Trainer.start(
        current(),
        data,
        Storm.TRAINING.with("max_steps", steps).with("seed", random.nextInt(1000)));
  }

  private void train() throws Exception {
    storm.may(
        ELSEWHERE,
        () -> {
          Dataset data = Dataset.create();
          Storm.PAIRS.forEach(data::add);
          Trainer trainer = trainer(data, 4);
          int steps = 0;
          while (random.nextInt(6) > 0 && trainer.step()) steps++;
          if (steps > 0 && !(trainer.metric("step") == steps))
            throw new Storm.Wrong(trainer.metrics() + " after " + steps + " steps");
          if (random.nextBoolean()) {
            SentenceEncoder trained = trainer.model();
            for (float value : trained.encode(Storm.TEXTS[2]))
              if (!Float.isFinite(value)) throw new Storm.Wrong("a vector is not finite");
            if (random.nextBoolean()) trained.close();
          }
          if (random.nextInt(3) > 0) trainer.close();
          if (random.nextInt(3) > 0) data.close();
        });
  }

  /** One trainer for all threads: the second one gets BUSY. */
  private void trainShared() throws Exception {
    storm.may(
        ELSEWHERE,
        () -> {
          Trainer trainer = storm.sharedTrainer.get();
          if (trainer == null || random.nextInt(20) == 0) {
            Trainer former = storm.sharedTrainer.getAndSet(trainer(null, 1_000_000));
            if (former != null) former.close();
            return;
          }
          switch (random.nextInt(4)) {
            case 0 -> trainer.metrics();
            case 1 -> {
              SentenceEncoder trained = trainer.model();
              if (random.nextBoolean()) trained.close();
            }
            default -> trainer.batch(Storm.PAIRS);
          }
        });
  }

  private void cancel() throws Exception {
    Cancel cancel = new Cancel();
    List<String> many = Collections.nCopies(50 + random.nextInt(400), Storm.TEXTS[7]);
    Thread other =
        new Thread(
            () -> {
              long until = System.nanoTime() + random.split().nextInt(20_000_000);
              while (System.nanoTime() < until) Thread.onSpinWait();
              cancel.trigger();
            });
    other.setDaemon(true);
    other.start();
    storm.may(
        ELSEWHERE,
        () ->
            current()
                .encode(many, EncodeOptions.defaults().withCancel(cancel).withBatchTokens(64)));
    other.join();
    storm.must(
        Kind.CANCELLED,
        () -> {
          try (SentenceEncoder encoder = SentenceEncoder.load(storm.model)) {
            encoder.encode(many, EncodeOptions.defaults().withCancel(cancel));
          }
        });
  }

  private void log() throws Exception {
    Log.Sink sink =
        (level, message) -> {
          storm.count("messages");
          try {
            Log.clear();
            storm.surprise.compareAndSet(
                null, new Storm.Wrong("a sink was allowed to clear itself"));
          } catch (ContrastiveException e) {
            if (e.kind() != Kind.BUSY) storm.surprise.compareAndSet(null, e);
          }
          try {
            Library.setThreads(1);
            storm.surprise.compareAndSet(
                null, new Storm.Wrong("a sink was allowed to call the library"));
          } catch (ContrastiveException e) {
            if (e.kind() != Kind.BUSY) storm.surprise.compareAndSet(null, e);
          }
          throw new Storm.PlannedException();
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
        SentenceEncoder closed = SentenceEncoder.load(storm.model);
        closed.close();
        closed.close();
        storm.must(Kind.HANDLE, () -> closed.encode("a"));
        storm.must(Kind.HANDLE, closed::snapshot);
        storm.must(Kind.HANDLE, () -> closed.tokenize("a"));
        storm.must(Kind.HANDLE, () -> Trainer.start(closed, null, Storm.TRAINING));
      }
      case 1 -> storm.mustBeNamed("text", () -> current().encode((String) null));
      case 2 -> storm.mustBeNamed("texts[1]", () -> current().encode(Arrays.asList("a", null)));
      case 3 -> storm.mustBeNamed("rows[1]", () -> Vectors.of(new float[][] {{1}, null}));
      case 4 -> {
        float[][] rows = {{1, 2}, {3, 4}};
        Vectors vectors = Vectors.of(rows);
        rows[1] = null;
        storm.mustBeNamed("rows[1]", () -> Similarity.matrix(vectors, vectors, Metric.DOT));
        rows[1] = new float[random.nextInt(100) + 3];
        storm.must(Kind.ARGUMENT, () -> Search.nearest(vectors, vectors, 1, Metric.DOT, null));
      }
      case 5 ->
          storm.must(
              Kind.ARGUMENT, () -> Similarity.score(new float[3], new float[4], Metric.COSINE));
      case 6 ->
          storm.must(
              Kind.ARGUMENT,
              () ->
                  Search.nearest(
                      new float[][] {{1}}, new float[][] {{1}}, -random.nextInt(1000), Metric.DOT));
      case 7 ->
          storm.must(Kind.NOT_FOUND, () -> SentenceEncoder.load(storm.scratch.resolve("nowhere")));
      case 8 ->
          storm.must(
              Kind.ARGUMENT,
              () -> SentenceEncoder.load(storm.model, Config.of("precison", "float32")));
      case 9 -> storm.must(Kind.FORMAT, () -> Config.parse("{\"a\": "));
      case 10 -> {
        try (SentenceEncoder encoder = SentenceEncoder.load(storm.model)) {
          storm.must(
              Kind.ARGUMENT,
              () ->
                  encoder.encode(List.of("a", "b"), EncodeOptions.defaults().withTruncateDim(-1)));
          storm.must(
              Kind.BUFFER,
              () ->
                  encoder.encode(
                      List.of("a", "b"), EncodeOptions.defaults(), new float[storm.dimension]));
          storm.must(
              Kind.BUFFER,
              () ->
                  encoder.encode(
                      List.of("a", "b"), EncodeOptions.defaults().withTokenCounts(new int[1])));
        }
      }
      case 11 -> {
        Dataset data = Dataset.create();
        data.add("a");
        storm.must(Kind.ARGUMENT, () -> data.add("a", "b"));
        data.close();
        storm.must(Kind.HANDLE, () -> data.add("a"));
      }
      case 12 -> storm.must(Kind.ARGUMENT, () -> Config.of("a"));
      default -> storm.must(Kind.ARGUMENT, () -> Library.setThreads(-1 - random.nextInt(9)));
    }
  }

  private void changingArrays() throws Exception {
    float[] ones = new float[16];
    Arrays.fill(ones, 1);
    try {
      float[][] scores =
          Similarity.matrix(
              Vectors.of(storm.changingRows), Vectors.of(new float[][] {ones}), Metric.DOT);
      for (float[] score : scores)
        if (score[0] != 16) throw new Storm.Wrong("a score of foreign memory: " + score[0]);
      storm.may(ELSEWHERE, () -> current().encode(storm.changingTexts));
    } catch (NullPointerException e) {
      if (e.getMessage() == null || !e.getMessage().matches("(rows|texts)\\[\\d+\\] is null"))
        throw e;
      storm.count("changed under a call");
    } catch (ContrastiveException e) {
      if (e.kind() != Kind.ARGUMENT
          || !(e.getMessage().contains("row") || e.getMessage().contains("dimension"))) throw e;
      storm.count("changed under a call");
    }
  }

  /** Short-lived threads: what the library keeps for each must be freed with it. */
  private void shortThread() throws Exception {
    Thread thread =
        new Thread(
            () -> {
              try {
                storm.may(ELSEWHERE, () -> storm.check(current().encode(Storm.TEXTS[3]), 3));
              } catch (Throwable e) {
                storm.surprise.compareAndSet(null, e);
              }
            },
            "storm-short");
    thread.setDaemon(true);
    thread.start();
    for (boolean ended = false;
        !ended; ) { // even if interrupted: what it loads must not outlive the round
      try {
        thread.join();
        ended = true;
      } catch (InterruptedException e) {
        storm.count("interrupted");
      }
    }
  }

  private void save() throws Exception {
    Path folder = storm.scratch.resolve(getName());
    storm.may(
        ELSEWHERE,
        () -> {
          current().save(folder);
          try (SentenceEncoder again = SentenceEncoder.load(folder)) {
            storm.check(again.encode(Storm.TEXTS[4]), 4);
          }
        });
  }
}
