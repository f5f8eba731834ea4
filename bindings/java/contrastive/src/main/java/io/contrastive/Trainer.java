package io.contrastive;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A training run. The caller owns the loop: look at metrics, save, evaluate or stop between two
 * steps.
 *
 * <pre>{@code
 * try (Dataset data = Dataset.open(Path.of("pairs.tsv"));
 *      Trainer trainer = Trainer.start(encoder, data, Config.of("method", "clsr", "max_steps", 500))) {
 *   while (trainer.step()) System.out.printf("loss %.4f%n", trainer.metric("loss"));
 *   trainer.save(Path.of("my-model"));
 * }
 * }</pre>
 *
 * <p>For one thread at a time: a second gets {@link ContrastiveException.Kind#BUSY}. The encoder
 * that training starts from stays as it is, and may be used meanwhile.
 */
public final class Trainer implements AutoCloseable {
  private static final int DONE = 1; // CS_DONE

  private final NativeHandle handle;

  private Trainer(long trainer) {
    handle = new NativeHandle("Trainer", trainer, Native::cs_trainer_free);
  }

  /**
   * Begins a run.
   *
   * @param data nullable: then only {@link #batch} works
   * @param config keys of {@code Config.describe("train")}; checked whole before anything is
   *     computed
   */
  public static Trainer start(SentenceEncoder encoder, Dataset data, Config config) {
    ContrastiveException.required(encoder, "encoder");
    ContrastiveException.required(config, "config");
    return begin(encoder.handle(), data, config, Native::cs_trainer_new);
  }

  /**
   * Finds all that can be found wrong in a training config without a model and without data: what
   * {@link #start} begins with, for programs that would rather know before they load gigabytes.
   */
  public static void check(Config config) {
    check(config, null);
  }

  /**
   * The same, and what is too much for a model: layers that it does not have, texts longer than its
   * positions.
   *
   * @param model its folder, of which only config.json and modules.json are read; nullable: any
   *     model
   */
  public static void check(Config config, Path model) {
    check(config, null, model);
  }

  /**
   * The same, and what the examples lack: pairs, labels, as many as a warm-up is long; and files
   * that the config names and that are not there or hold something else.
   *
   * @param config with the keys device and precision, by which the model will be loaded, also what
   *     the run asks of them is found
   * @param data nullable: any examples, and no file is looked at
   * @param model nullable: any model
   */
  public static void check(Config config, Dataset data, Path model) {
    ContrastiveException.required(config, "config");
    String folder = model == null ? null : model.toString();
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      if (data == null) Native.cs_trainer_check(borrowed.handle, 0, folder);
      else data.handle().use(dataset -> Native.cs_trainer_check(borrowed.handle, dataset, folder));
    }
  }

  /**
   * Goes on with a run from what {@link #save} wrote, on the CPU bit-identical to a run that was
   * never interrupted.
   *
   * @param encoder the one that the run began with
   * @param data the one that the run began with
   * @param overrides keys that do not change the run so far, such as max_steps; nullable
   */
  public static Trainer resume(
      Path folder, SentenceEncoder encoder, Dataset data, Config overrides) {
    ContrastiveException.required(folder, "folder");
    ContrastiveException.required(encoder, "encoder");
    return begin(
        encoder.handle(),
        data,
        overrides,
        (model, dataset, config) ->
            Native.cs_trainer_resume(folder.toString(), model, dataset, config));
  }

  /**
   * Begins to train a reranker further, with a method that trains rerankers; the result is {@link
   * #reranker()}. To make a reranker out of an encoder, start from the encoder with such a method.
   *
   * <pre>{@code
   * Trainer trainer = Trainer.startReranker(reranker, data, Config.of("method", "reranker", "reranker.loss", "listwise"));
   * }</pre>
   *
   * @param data nullable: then only {@link #batch} works
   */
  public static Trainer startReranker(Reranker reranker, Dataset data, Config config) {
    ContrastiveException.required(reranker, "reranker");
    ContrastiveException.required(config, "config");
    return begin(reranker.handle(), data, config, Native::cs_trainer_new);
  }

  /**
   * {@link #resume} of a run that {@link #startReranker} began. @param reranker the one that the
   * run began with
   */
  public static Trainer resumeReranker(
      Path folder, Reranker reranker, Dataset data, Config overrides) {
    ContrastiveException.required(folder, "folder");
    ContrastiveException.required(reranker, "reranker");
    return begin(
        reranker.handle(),
        data,
        overrides,
        (model, dataset, config) ->
            Native.cs_trainer_resume(folder.toString(), model, dataset, config));
  }

  private interface Begin {
    long call(long model, long data, long config);
  }

  private static Trainer begin(NativeHandle from, Dataset data, Config config, Begin begin) {
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return from.use(
          model ->
              data == null
                  ? new Trainer(begin.call(model, 0, borrowed.handle))
                  : data.handle()
                      .use(dataset -> new Trainer(begin.call(model, dataset, borrowed.handle))));
    }
  }

  /**
   * Makes one update of the weights. The first call also computes what the method needs once.
   *
   * @return true: an update was made, and the next call may make another; false: none was left, and
   *     nothing was done. So {@code while (step())} makes them all, as in C# and Go; C's {@code
   *     cs_train_step} answers the other way round, with CS_DONE at the end.
   */
  public boolean step() {
    return step(null);
  }

  /**
   * The same with a flag that stops it before the update, or in an evaluation behind it, which a
   * later call makes up for.
   *
   * @return as {@link #step()}
   */
  public boolean step(Cancel cancel) {
    return handle.use(
        trainer -> CallScope.run(cancel, flag -> Native.cs_train_step(trainer, flag)) != DONE);
  }

  /** Steps to the end of the run. */
  public void run() {
    run(trainer -> true);
  }

  /** Steps to the end of the run, or until the test, which is asked after each step, says no. */
  public void run(Predicate<Trainer> goOn) {
    ContrastiveException.required(goOn, "goOn");
    while (step() && goOn.test(this)) {}
  }

  /**
   * Makes one update on a batch of the caller's own: from a queue, a cursor, a generator. All
   * examples have the same number of texts. After an error, look at metric "step" before you give
   * the same examples again: if it has grown, they are trained, and an evaluation behind them
   * failed.
   *
   * @return true: an update was made; false: the run's last one was made before, and nothing was
   *     done
   */
  public boolean batch(List<Example> examples) {
    return batch(examples, null);
  }

  /** The same with a flag, as in {@link #step(Cancel)}; nullable. */
  public boolean batch(List<Example> examples, Cancel cancel) {
    Example[] now =
        ContrastiveException.required(examples, "examples")
            .toArray(new Example[0])
            .clone(); // as they are now: the list may change
    for (int i = 0; i < now.length; i++) {
      if (now[i] == null) throw new NullPointerException("examples[" + i + "] is null");
    }
    int columns = now.length == 0 ? 1 : now[0].texts().size();
    Packed.Builder texts = new Packed.Builder(Math.multiplyExact(now.length, columns));
    double[] labels = new double[now.length];
    for (int i = 0; i < labels.length; i++) {
      Example example = now[i];
      if (example.texts().size() != columns) {
        throw ContrastiveException.argument(
            "example " + i + " has " + example.texts().size() + " texts, example 0 has " + columns);
      }
      texts.addAll(example.texts());
      labels[i] = example.label();
    }
    Packed packed = texts.build(labels.length);
    return handle.use(
        trainer ->
            CallScope.run(
                    cancel,
                    flag ->
                        Native.cs_train_batch_packed(
                            trainer,
                            packed.data,
                            packed.offsets,
                            packed.rows,
                            columns,
                            labels,
                            flag))
                != DONE);
  }

  /**
   * Scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*" now, and
   * remembers the weights if they are the best.
   */
  public void evaluate() {
    evaluate(null);
  }

  /**
   * The same with a flag that stops it between batches of texts: no figure is kept then. Nullable.
   */
  public void evaluate(Cancel cancel) {
    handle.use(trainer -> CallScope.run(cancel, flag -> Native.cs_trainer_evaluate(trainer, flag)));
  }

  /**
   * The present value of one metric, such as "loss", "lr", "step", "best_dev", or of a task that
   * the run evaluates, "sts.spearman.all"; NaN if it is unknown or not measured yet.
   */
  public double metric(String name) {
    ContrastiveException.required(name, "name");
    return handle.use(trainer -> Native.cs_trainer_metric(trainer, name));
  }

  /** All metrics that have a value. */
  public Map<String, Double> metrics() {
    Map<String, Double> metrics = new LinkedHashMap<>();
    Json.object(handle.use(Native::cs_trainer_metrics))
        .forEach(
            (name, value) -> {
              if (value instanceof Double number) metrics.put(name, number);
            });
    return Collections.unmodifiableMap(metrics);
  }

  /** The config in force, with every default filled in. */
  public Config config() {
    return Config.parse(handle.use(Native::cs_trainer_config));
  }

  /** The model as it is trained now, independent of the trainer from then on. */
  public SentenceEncoder model() {
    return trained(0);
  }

  /**
   * The model with the best weights on the dev set; the present ones where nothing was measured.
   */
  public SentenceEncoder bestModel() {
    return trained(1);
  }

  private SentenceEncoder trained(int best) {
    return handle.use(trainer -> SentenceEncoder.adopt(result(trainer, best, false)));
  }

  /**
   * A handle of the trained model, which the caller owns. STATE where the run trains the other
   * kind.
   */
  private static long result(long trainer, int best, boolean reranker) {
    long model = Native.cs_trainer_model(trainer, best);
    if ((Native.cs_model_kind(model) == Reranker.KIND) == reranker) return model;
    Native.cs_model_free(model);
    String message =
        reranker
            ? "the run trains a sentence encoder: ask for its model"
            : "the run trains a reranker: ask for its reranker";
    throw ContrastiveException.of(ContrastiveException.Kind.STATE, message, null);
  }

  /**
   * The reranker as it is trained now, of a run that trains one; independent of the trainer from
   * then on.
   */
  public Reranker reranker() {
    return trainedReranker(0);
  }

  /**
   * The reranker with the best weights on the dev set; the present ones where nothing was measured.
   */
  public Reranker bestReranker() {
    return trainedReranker(1);
  }

  private Reranker trainedReranker(int best) {
    return handle.use(trainer -> Reranker.adopt(result(trainer, best, true)));
  }

  /**
   * Writes the model as it is now, and beside it the state that {@link #resume} needs; atomic as
   * {@link SentenceEncoder#save}.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(trainer -> Native.cs_trainer_save(trainer, folder.toString()));
  }

  /**
   * Writes the best model on the dev set (the present one where nothing was measured), without
   * state.
   */
  public void saveBest(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(trainer -> Native.cs_trainer_save_best(trainer, folder.toString()));
  }

  /**
   * Lets the run go; a step that runs in another thread is finished first. Closing again does
   * nothing.
   */
  @Override
  public void close() {
    handle.close();
  }
}
