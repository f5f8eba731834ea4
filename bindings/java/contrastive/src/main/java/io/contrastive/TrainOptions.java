// Written by bindings/options.py from the keys of core: do not edit.
package io.contrastive;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Typed options of a training run. Each {@code with} method returns a changed copy. An option that
 * is not set has the default of the library or of the method. {@link #toConfig} makes a config, to
 * which you can add any other key. Keys "METHOD.name" belong to the chosen method; not every method
 * has each of them.
 */
public final class TrainOptions {
  private static final TrainOptions DEFAULTS =
      new TrainOptions(Method.MNRL, new LinkedHashMap<>());

  private final Method method;
  private final Map<String, Object> entries; // by key

  private TrainOptions(Method method, Map<String, Object> entries) {
    this.method = method;
    this.entries = entries;
  }

  /** A training method. */
  public enum Method {
    /** The value "clsr". */
    CLSR("clsr"),
    /** The value "consert". */
    CONSERT("consert"),
    /** The value "mnrl". */
    MNRL("mnrl"),
    /** The value "sgopt". */
    SGOPT("sgopt"),
    /** The value "simcse". */
    SIMCSE("simcse"),
    /** The value "clear". */
    CLEAR("clear"),
    /** The value "scored". */
    SCORED("scored"),
    /** The value "triplet". */
    TRIPLET("triplet"),
    /** The value "distill". */
    DISTILL("distill"),
    /** The value "tsdae". */
    TSDAE("tsdae"),
    /** The value "reranker". */
    RERANKER("reranker");

    private final String key;

    Method(String key) {
      this.key = key;
    }

    @Override
    public String toString() {
      return key;
    }
  }

  /** How the learning rate changes during a run. */
  public enum Schedule {
    /** The value "constant". */
    CONSTANT("constant"),
    /** The value "warmup-linear". */
    WARMUP_LINEAR("warmup-linear"),
    /** The value "warmup-cosine". */
    WARMUP_COSINE("warmup-cosine"),
    /** The value "fairseq-linear". */
    FAIRSEQ_LINEAR("fairseq-linear");

    private final String key;

    Schedule(String key) {
      this.key = key;
    }

    @Override
    public String toString() {
      return key;
    }
  }

  /** An optimizer. */
  public enum Optimizer {
    /** The value "lars". */
    LARS("lars"),
    /** The value "sgd". */
    SGD("sgd"),
    /** The value "adam". */
    ADAM("adam"),
    /** The value "adamw". */
    ADAMW("adamw"),
    /** The value "adamw-hf". */
    ADAMW_HF("adamw-hf");

    private final String key;

    Optimizer(String key) {
      this.key = key;
    }

    @Override
    public String toString() {
      return key;
    }
  }

  /** The type in which the encoder multiplies during training. */
  public enum MixedPrecision {
    /** The value "off". */
    OFF("off"),
    /** The value "bfloat16". */
    BFLOAT16("bfloat16"),
    /** The value "float16". */
    FLOAT16("float16");

    private final String key;

    MixedPrecision(String key) {
      this.key = key;
    }

    @Override
    public String toString() {
      return key;
    }
  }

  /** Options that are not set, with the method mnrl. */
  public static TrainOptions defaults() {
    return DEFAULTS;
  }

  /** The training method; default mnrl. Key method. */
  public TrainOptions withMethod(Method method) {
    return new TrainOptions(ContrastiveException.required(method, "method"), entries);
  }

  /**
   * Decides every random choice: order, initial weights, augmentations, dropout. Key seed, at least
   * 0.
   */
  public TrainOptions withSeed(long seed) {
    return with("seed", seed);
  }

  /** Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576. */
  public TrainOptions withBatchSize(int batchSize) {
    return with("batch_size", batchSize);
  }

  /**
   * Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
   * 1048576.
   */
  public TrainOptions withAccumulate(int accumulate) {
    return with("accumulate", accumulate);
  }

  /** Passes over the dataset. Key epochs, at least 1. */
  public TrainOptions withEpochs(int epochs) {
    return with("epochs", epochs);
  }

  /**
   * Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
   * max_steps, at least 0.
   */
  public TrainOptions withMaxSteps(int maxSteps) {
    return with("max_steps", maxSteps);
  }

  /** Peak learning rate. Key lr, above 0 to 1000. */
  public TrainOptions withLearningRate(double learningRate) {
    return with("lr", learningRate);
  }

  /** Schedule of the learning rate. Key schedule. */
  public TrainOptions withSchedule(Schedule schedule) {
    return with("schedule", ContrastiveException.required(schedule, "schedule").toString());
  }

  /** Updates in which the learning rate rises from 0. Key warmup_steps, at least 0. */
  public TrainOptions withWarmupSteps(int warmupSteps) {
    return with("warmup_steps", warmupSteps);
  }

  /** Warm-up as a share of the run. Key warmup_ratio, from 0 to 1. */
  public TrainOptions withWarmupRatio(double warmupRatio) {
    return with("warmup_ratio", warmupRatio);
  }

  /**
   * Optimizer: adamw is PyTorch's variant, adamw-hf that of transformers, which ConSERT and SG-OPT
   * used. Key optimizer.
   */
  public TrainOptions withOptimizer(Optimizer optimizer) {
    return with("optimizer", ContrastiveException.required(optimizer, "optimizer").toString());
  }

  /**
   * Weight decay, for every weight that is neither a bias nor a LayerNorm weight. Key weight_decay,
   * from 0 to 10.
   */
  public TrainOptions withWeightDecay(double weightDecay) {
    return with("weight_decay", weightDecay);
  }

  /** Maximum norm of the gradient; 0 = no limit. Key clip_norm, at least 0. */
  public TrainOptions withClipNorm(double clipNorm) {
    return with("clip_norm", clipNorm);
  }

  /**
   * Mixed precision: the encoder's products in 16 bits, weights and objectives in float32; float16
   * needs a CUDA device and scales the loss. Key amp.
   */
  public TrainOptions withMixedPrecision(MixedPrecision mixedPrecision) {
    return with("amp", ContrastiveException.required(mixedPrecision, "mixedPrecision").toString());
  }

  /**
   * Keep only each layer's input for the backward pass and recompute the rest: less memory, a third
   * more work, bit-identical results on the CPU. Key gradient_checkpointing.
   */
  public TrainOptions withGradientCheckpointing(boolean gradientCheckpointing) {
    return with("gradient_checkpointing", gradientCheckpointing);
  }

  /**
   * Threads that an update or evaluation uses at most, besides data_threads, so that training in
   * the background leaves processors to others; 0 = all threads of the process. Key threads, from 0
   * to 1024.
   */
  public TrainOptions withThreads(int threads) {
    return with("threads", threads);
  }

  /**
   * Threads that read and tokenise the texts of the next updates during training; 0 = the training
   * thread does it. Results do not depend on it. Key data_threads, from 0 to 64.
   */
  public TrainOptions withDataThreads(int dataThreads) {
    return with("data_threads", dataThreads);
  }

  /**
   * Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
   * model's. Key METHOD.max_length, from 0 to 1000000.
   */
  public TrainOptions withMaxLength(int maxLength) {
    return with("METHOD.max_length", maxLength);
  }

  /** Divides every cosine. Key METHOD.temperature, from 0.0001 to 10000. */
  public TrainOptions withTemperature(double temperature) {
    return with("METHOD.temperature", temperature);
  }

  /**
   * Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
   * that are not normalized. Key METHOD.scale, above 0 to 10000.
   */
  public TrainOptions withScale(double scale) {
    return with("METHOD.scale", scale);
  }

  /**
   * Train low-rank adapters of this rank for the encoder's matrices, which do not change: far less
   * memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank, from 0 to
   * 4096.
   */
  public TrainOptions withLoraRank(int loraRank) {
    return with("METHOD.lora_rank", loraRank);
  }

  /**
   * Dimensions to cut the vectors to: the losses of the cut vectors are added, so that users may
   * cut stored vectors. Include the model's own dimension. Empty = whole vectors only. Key
   * matryoshka.dims, from 1 to 131072.
   */
  public TrainOptions withMatryoshkaDims(int... matryoshkaDims) {
    return with("matryoshka.dims", matryoshkaDims.clone());
  }

  /**
   * File to measure progress on: lines 'score TAB text TAB text', or 'text TAB text' for pairs to
   * retrieve; for a reranker, lines with scores, or queries with right and wrong documents, as
   * mining writes them. Key dev.
   */
  public TrainOptions withDev(Path dev) {
    return with("dev", ContrastiveException.required(dev, "dev"));
  }

  /** Updates between dev evaluations; 0 = at the end. Key eval_every, at least 0. */
  public TrainOptions withEvalEvery(int evalEvery) {
    return with("eval_every", evalEvery);
  }

  /**
   * Updates between two runs of the tasks in keys 'evaluate.*', which also run at the end; 0 = with
   * the dev evaluations. Key evaluate_every, at least 0.
   */
  public TrainOptions withEvaluateEvery(int evaluateEvery) {
    return with("evaluate_every", evaluateEvery);
  }

  /**
   * Dev evaluations that 'early_stop' counts before the run ends early; an undefined score counts
   * too; 0 = never. Key patience, at least 0.
   */
  public TrainOptions withPatience(int patience) {
    return with("patience", patience);
  }

  /**
   * Folder for automatic checkpoints: step-N every 'save_every' updates and at the end, and best,
   * the best weights on 'dev'; a run with stages has a subfolder for each stage. Key checkpoints.
   */
  public TrainOptions withCheckpoints(Path checkpoints) {
    return with("checkpoints", ContrastiveException.required(checkpoints, "checkpoints"));
  }

  /** Updates between two automatic checkpoints; 0 = at the end only. Key save_every, at least 0. */
  public TrainOptions withSaveEvery(int saveEvery) {
    return with("save_every", saveEvery);
  }

  /** Number of newest automatic checkpoints to keep; 0 = all. Key keep, at least 0. */
  public TrainOptions withKeep(int keep) {
    return with("keep", keep);
  }

  /**
   * File to which JSON lines of metrics are appended; null means not measured since the previous
   * line. A killed run that resumes from its last save repeats the steps after it: use the last
   * line of each step. An existing file without such lines is refused. Key metrics_file.
   */
  public TrainOptions withMetricsFile(Path metricsFile) {
    return with("metrics_file", ContrastiveException.required(metricsFile, "metricsFile"));
  }

  private TrainOptions with(String key, Object value) {
    Map<String, Object> copy = new LinkedHashMap<>(entries);
    copy.put(key, value);
    return new TrainOptions(method, copy);
  }

  /**
   * The options as a config. {@link Config#with(String, Object)} adds any other key: {@code
   * Config.describe("train")} lists every key of a run.
   */
  public Config toConfig() {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("method", method.toString());
    entries.forEach(
        (key, value) -> keys.put(key.replaceFirst("^METHOD\\.", method + "."), value));
    return Config.of(keys);
  }

  @Override
  public String toString() {
    return toConfig().toJson();
  }
}
