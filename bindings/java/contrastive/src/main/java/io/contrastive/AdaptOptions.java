// Written by bindings/options.py from the keys of core: do not edit.
package io.contrastive;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Typed options of an adaptation. Each {@code with} method returns a changed copy. An option that
 * is not set has the default of the library or of the method. {@link #toConfig} makes a config, to
 * which you can add any other key. Keys "METHOD.name" belong to the chosen method; not every method
 * has each of them.
 */
public final class AdaptOptions {
  private static final AdaptOptions DEFAULTS =
      new AdaptOptions(TrainOptions.Method.MNRL, new LinkedHashMap<>());

  private final TrainOptions.Method method;
  private final Map<String, Object> entries; // by key

  private AdaptOptions(TrainOptions.Method method, Map<String, Object> entries) {
    this.method = method;
    this.entries = entries;
  }

  /** A metric of search results. */
  public enum SearchMetric {
    /** The value "ndcg@10". */
    NDCG_AT_10("ndcg@10"),
    /** The value "mrr@10". */
    MRR_AT_10("mrr@10"),
    /** The value "recall@1". */
    RECALL_AT_1("recall@1"),
    /** The value "recall@10". */
    RECALL_AT_10("recall@10");

    private final String key;

    SearchMetric(String key) {
      this.key = key;
    }

    @Override
    public String toString() {
      return key;
    }
  }

  /** Options that are not set, with the method mnrl. */
  public static AdaptOptions defaults() {
    return DEFAULTS;
  }

  /** The training method (reranker is not one of them); default mnrl. Key method. */
  public AdaptOptions withMethod(TrainOptions.Method method) {
    return new AdaptOptions(ContrastiveException.required(method, "method"), entries);
  }

  /**
   * Decides every random choice: the split, what is drawn, the training, the resamples. Key seed,
   * at least 0.
   */
  public AdaptOptions withSeed(long seed) {
    return with("seed", seed);
  }

  /**
   * File of pairs by which the best weights are chosen, read with the keys data.*; empty: a part of
   * the pairs. Key dev.
   */
  public AdaptOptions withDev(Path dev) {
    return with("dev", ContrastiveException.required(dev, "dev"));
  }

  /**
   * Share of the pairs that is held out and decides whether the model is better. Key test_share,
   * from 0.01 to 0.9.
   */
  public AdaptOptions withTestShare(double testShare) {
    return with("test_share", testShare);
  }

  /**
   * Share of the pairs that is held out to choose the best weights, if dev is empty. Key dev_share,
   * from 0.01 to 0.9.
   */
  public AdaptOptions withDevShare(double devShare) {
    return with("dev_share", devShare);
  }

  /** Metric that decides the test. Key metric. */
  public AdaptOptions withMetric(SearchMetric metric) {
    return with("metric", ContrastiveException.required(metric, "metric").toString());
  }

  /**
   * A model is written if the metric rises by at least this; with 0 it must rise. Key min_gain,
   * from 0 to 1.
   */
  public AdaptOptions withMinGain(double minGain) {
    return with("min_gain", minGain);
  }

  /** Write the model only if the interval of the gain is above 0 too. Key require_significant. */
  public AdaptOptions withRequireSignificant(boolean requireSignificant) {
    return with("require_significant", requireSignificant);
  }

  /** Mine hard negatives for the training pairs; false: train on the plain pairs. Key mine. */
  public AdaptOptions withMine(boolean mine) {
    return with("mine", mine);
  }

  /** Negatives of each pair. Key mining.num_negatives, from 1 to 1000. */
  public AdaptOptions withNumNegatives(int numNegatives) {
    return with("mining.num_negatives", numNegatives);
  }

  /**
   * Text put before queries; empty: the model's own prompt named query, if it has one. Key
   * query_prompt.
   */
  public AdaptOptions withQueryPrompt(String queryPrompt) {
    return with("query_prompt", ContrastiveException.required(queryPrompt, "queryPrompt"));
  }

  /**
   * Text put before documents; empty: the model's own prompt named document, passage or corpus, if
   * it has one. Key document_prompt.
   */
  public AdaptOptions withDocumentPrompt(String documentPrompt) {
    return with("document_prompt", ContrastiveException.required(documentPrompt, "documentPrompt"));
  }

  /** Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576. */
  public AdaptOptions withBatchSize(int batchSize) {
    return with("batch_size", batchSize);
  }

  /**
   * Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
   * 1048576.
   */
  public AdaptOptions withAccumulate(int accumulate) {
    return with("accumulate", accumulate);
  }

  /**
   * Passes over the training pairs; if neither this nor max_steps is set, 3 to 20, for about 200
   * updates. Key epochs, at least 1.
   */
  public AdaptOptions withEpochs(int epochs) {
    return with("epochs", epochs);
  }

  /**
   * Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
   * max_steps, at least 0.
   */
  public AdaptOptions withMaxSteps(int maxSteps) {
    return with("max_steps", maxSteps);
  }

  /** Peak learning rate. Key lr, above 0 to 1000. */
  public AdaptOptions withLearningRate(double learningRate) {
    return with("lr", learningRate);
  }

  /** Warm-up as a share of the run. Key warmup_ratio, from 0 to 1. */
  public AdaptOptions withWarmupRatio(double warmupRatio) {
    return with("warmup_ratio", warmupRatio);
  }

  /**
   * Mixed precision: the encoder's products in 16 bits, weights and objectives in float32; float16
   * needs a CUDA device and scales the loss. Key amp.
   */
  public AdaptOptions withMixedPrecision(TrainOptions.MixedPrecision mixedPrecision) {
    return with("amp", ContrastiveException.required(mixedPrecision, "mixedPrecision").toString());
  }

  /**
   * Keep only each layer's input for the backward pass and recompute the rest: less memory, a third
   * more work, bit-identical results on the CPU. Key gradient_checkpointing.
   */
  public AdaptOptions withGradientCheckpointing(boolean gradientCheckpointing) {
    return with("gradient_checkpointing", gradientCheckpointing);
  }

  /**
   * Threads that an update or evaluation uses at most, besides data_threads, so that training in
   * the background leaves processors to others; 0 = all threads of the process. Key threads, from 0
   * to 1024.
   */
  public AdaptOptions withThreads(int threads) {
    return with("threads", threads);
  }

  /**
   * Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
   * model's. Key METHOD.max_length, from 0 to 1000000.
   */
  public AdaptOptions withMaxLength(int maxLength) {
    return with("METHOD.max_length", maxLength);
  }

  /**
   * Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
   * that are not normalized. Key METHOD.scale, above 0 to 10000.
   */
  public AdaptOptions withScale(double scale) {
    return with("METHOD.scale", scale);
  }

  /**
   * Train low-rank adapters of this rank for the encoder's matrices, which do not change: far less
   * memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank, from 0 to
   * 4096.
   */
  public AdaptOptions withLoraRank(int loraRank) {
    return with("METHOD.lora_rank", loraRank);
  }

  /**
   * Updates between dev evaluations; if no key sets this, the run has 10 evaluations. Key
   * eval_every, at least 0.
   */
  public AdaptOptions withEvalEvery(int evalEvery) {
    return with("eval_every", evalEvery);
  }

  /**
   * Dev evaluations that 'early_stop' counts before the run ends early; an undefined score counts
   * too; 0 = never. Key patience, at least 0.
   */
  public AdaptOptions withPatience(int patience) {
    return with("patience", patience);
  }

  /**
   * Updates between two saves of the training, so that it can resume after a kill. Key save_every,
   * at least 1.
   */
  public AdaptOptions withSaveEvery(int saveEvery) {
    return with("save_every", saveEvery);
  }

  /** Folder that gets the report as adapt.json; empty: none is written. Key report. */
  public AdaptOptions withReport(Path report) {
    return with("report", ContrastiveException.required(report, "report"));
  }

  private AdaptOptions with(String key, Object value) {
    Map<String, Object> copy = new LinkedHashMap<>(entries);
    copy.put(key, value);
    return new AdaptOptions(method, copy);
  }

  /**
   * The options as a config. {@link Config#with(String, Object)} adds any other key: {@code
   * Config.describe("adapt")} lists every key of an adaptation.
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
