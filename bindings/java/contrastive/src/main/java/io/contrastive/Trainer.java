package io.contrastive;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A training run. You write the training loop, and can read metrics, save, evaluate or stop between
 * two steps.
 *
 * <pre>{@code
 * Config config = Config.of("method", "mnrl", "max_steps", 500);
 * try (Dataset data = Dataset.open(Path.of("pairs.tsv"));
 *      Trainer trainer = Trainer.start(encoder, data, config)) {
 *   while (trainer.step()) System.out.printf("loss %.4f%n", trainer.metric("loss"));
 *   trainer.save(Path.of("my-model"));
 * }
 * }</pre>
 *
 * <p>Only one thread at a time may use a trainer; a second one gets {@link
 * ContrastiveException.Kind#BUSY}. Training does not change the encoder that it starts from, and
 * you may use that encoder during training.
 */
public final class Trainer implements AutoCloseable {
  private static final int DONE = 1; // CS_DONE

  private final NativeHandle handle;

  /** How much of a model's memory a run uses: weights, gradients, two states of the optimizer. */
  private static final int COPIES = 4;

  private Trainer(long trainer, long model) {
    long memory = COPIES * NativeHandle.memoryOf(model);
    handle = new NativeHandle("Trainer", trainer, memory, Native::cs_trainer_free);
  }

  /**
   * Starts a run that trains a sentence encoder, or makes a reranker out of one.
   *
   * @param data the training examples; if null, only {@link #batch} works
   * @param config keys of {@code Config.describe("train")}; all are checked before training starts
   */
  public static Trainer start(SentenceEncoder encoder, @Nullable Dataset data, Config config) {
    ContrastiveException.required(encoder, "encoder");
    ContrastiveException.required(config, "config");
    return begin(encoder.handle(), data, config, Native::cs_trainer_new);
  }

  /**
   * Validates a training config without a model and without data. {@link #start} makes the same
   * checks. Call this to find errors before you load a large model.
   */
  public static void check(Config config) {
    check(config, null);
  }

  /**
   * Validates a training config against a model as well: it also finds layers that the model does
   * not have, and texts longer than its position embeddings allow.
   *
   * @param model the model's folder, of which only config.json and modules.json are read; if null,
   *     nothing about the model is checked
   */
  public static void check(Config config, @Nullable Path model) {
    check(config, null, model);
  }

  /**
   * Validates a training config against a model and a dataset. It also finds examples without the
   * required pairs or labels, too few examples for the warm-up, and configured files that are
   * missing or have the wrong format.
   *
   * @param config the training config. Add the keys device and precision with which you will load
   *     the model to check those too
   * @param data if null, examples and files are not checked
   * @param model the model's folder; if null, nothing about the model is checked
   */
  public static void check(Config config, @Nullable Dataset data, @Nullable Path model) {
    ContrastiveException.required(config, "config");
    String folder = model == null ? null : model.toString();
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      if (data == null) Native.cs_trainer_check(borrowed.handle, 0, folder);
      else data.handle().use(dataset -> Native.cs_trainer_check(borrowed.handle, dataset, folder));
    }
  }

  /**
   * Resumes a run from the folder that {@link #save} wrote. On the CPU the result is bit-identical
   * to that of an uninterrupted run.
   *
   * @param encoder the encoder that the run started from
   * @param data the dataset that the run started with
   * @param overrides keys that do not change the run so far, such as max_steps; nullable
   */
  public static Trainer resume(
      Path folder, SentenceEncoder encoder, @Nullable Dataset data, @Nullable Config overrides) {
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
   * Starts a run that trains an existing reranker further, with a method that trains rerankers.
   * {@link #reranker()} returns the result. To make a reranker out of an encoder, call {@link
   * #start} with such a method.
   *
   * <pre>{@code
   * Config config = Config.of("method", "reranker", "reranker.loss", "listwise");
   * Trainer trainer = Trainer.startReranker(reranker, data, config);
   * }</pre>
   *
   * @param data the training examples; if null, only {@link #batch} works
   */
  public static Trainer startReranker(Reranker reranker, @Nullable Dataset data, Config config) {
    ContrastiveException.required(reranker, "reranker");
    ContrastiveException.required(config, "config");
    return begin(reranker.handle(), data, config, Native::cs_trainer_new);
  }

  /**
   * Resumes a run that {@link #startReranker} started, as {@link #resume} does.
   *
   * @param reranker the reranker that the run started from
   */
  public static Trainer resumeReranker(
      Path folder, Reranker reranker, @Nullable Dataset data, @Nullable Config overrides) {
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

  private static Trainer begin(
      NativeHandle from, @Nullable Dataset data, @Nullable Config config, Begin begin) {
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return from.use(
          model ->
              data == null
                  ? new Trainer(begin.call(model, 0, borrowed.handle), model)
                  : data.handle()
                      .use(
                          dataset ->
                              new Trainer(begin.call(model, dataset, borrowed.handle), model)));
    }
  }

  /**
   * Makes one update of the weights. The first call also does the method's one-time preparation.
   *
   * @return true if an update was made; false if the run was already over and nothing was done.
   *     {@code while (step())} makes all updates, as in C# and Go. C's {@code cs_train_step} is
   *     different: it returns CS_DONE at the end
   */
  public boolean step() {
    return step(null);
  }

  /**
   * Makes one update, with a flag that stops the call before the update or during the evaluation
   * after it. The next call then makes the missing evaluation.
   *
   * @return as {@link #step()}
   */
  public boolean step(@Nullable Cancel cancel) {
    return handle.use(
        trainer -> CallScope.run(cancel, flag -> Native.cs_train_step(trainer, flag)) != DONE);
  }

  /** Makes all remaining updates of the run. */
  public void run() {
    run(trainer -> true);
  }

  /**
   * Makes updates until the run ends or {@code goOn}, which is called after each step, returns
   * false.
   */
  public void run(Predicate<Trainer> goOn) {
    ContrastiveException.required(goOn, "goOn");
    while (step() && goOn.test(this)) {}
  }

  /**
   * Makes one update on your own batch, for example from a queue, a cursor or a generator. All
   * examples must have the same number of texts. After an error, read the metric "step" before you
   * pass the same examples again. If it has increased, the update was made and the evaluation after
   * it failed.
   *
   * @return true if an update was made; false if the run was already over and nothing was done
   */
  public boolean batch(List<Example> examples) {
    return batch(examples, null);
  }

  /** Makes one update on your own batch, with a flag as in {@link #step(Cancel)}; nullable. */
  public boolean batch(List<Example> examples, @Nullable Cancel cancel) {
    Example[] now =
        ContrastiveException.required(examples, "examples")
            .toArray(new Example[0])
            .clone(); // a copy: another thread may change the list
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
   * Evaluates now: scores the dev set of config key "dev", runs the tasks of keys "evaluate.*", and
   * keeps the weights if they are the best so far.
   */
  public void evaluate() {
    evaluate(null);
  }

  /**
   * Evaluates now, with a flag that stops the call between batches of texts. If it is stopped, no
   * result is kept.
   *
   * @param cancel nullable
   */
  public void evaluate(@Nullable Cancel cancel) {
    handle.use(trainer -> CallScope.run(cancel, flag -> Native.cs_trainer_evaluate(trainer, flag)));
  }

  /**
   * The current value of a metric, such as "loss", "lr", "step", "best_dev", or the result of a
   * task that the run evaluates, such as "sts.spearman.all". NaN if it is unknown or not measured
   * yet.
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

  /** The effective config, with every default filled in. */
  public Config config() {
    return Config.parse(handle.use(Native::cs_trainer_config));
  }

  /**
   * Returns a copy of the model in its current state. Further training does not change the copy.
   */
  public SentenceEncoder model() {
    return trained(0);
  }

  /**
   * Returns the model with the best weights on the dev set, or with the current weights if nothing
   * was measured yet.
   */
  public SentenceEncoder bestModel() {
    return trained(1);
  }

  private SentenceEncoder trained(int best) {
    return handle.use(trainer -> SentenceEncoder.adopt(result(trainer, best, false)));
  }

  /**
   * A handle of the trained model, which the caller owns. Throws STATE if the run trains the other
   * kind of model.
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
   * Returns a copy of the reranker in its current state, if the run trains one. Further training
   * does not change the copy.
   */
  public Reranker reranker() {
    return trainedReranker(0);
  }

  /**
   * Returns the reranker with the best weights on the dev set, or with the current weights if
   * nothing was measured yet.
   */
  public Reranker bestReranker() {
    return trainedReranker(1);
  }

  private Reranker trainedReranker(int best) {
    return handle.use(trainer -> Reranker.adopt(result(trainer, best, true)));
  }

  /**
   * Writes the current model and, in the same folder, the state that {@link #resume} needs. The
   * save is atomic, as {@link SentenceEncoder#save} is.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(trainer -> Native.cs_trainer_save(trainer, folder.toString()));
  }

  /**
   * Writes the best model on the dev set, or the current one if nothing was measured yet. The state
   * for {@link #resume} is not written.
   */
  public void saveBest(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(trainer -> Native.cs_trainer_save_best(trainer, folder.toString()));
  }

  /**
   * Frees the trainer after a running step of another thread has finished. Closing again does
   * nothing.
   */
  @Override
  public void close() {
    handle.close();
  }
}
