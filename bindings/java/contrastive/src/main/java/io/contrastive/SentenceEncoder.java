package io.contrastive;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A model that embeds sentences: a tokenizer, an encoder, a pooling, and what follows it. To get
 * the folder of this example: {@code hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir
 * all-MiniLM-L6-v2}.
 *
 * <pre>{@code
 * try (SentenceEncoder encoder = SentenceEncoder.load(Path.of("all-MiniLM-L6-v2"))) {
 *   float[][] vectors = encoder.encode(List.of("A man is eating food.", "Someone has a meal."));
 *   System.out.println(Similarity.cosine(vectors[0], vectors[1]));
 * }
 * }</pre>
 *
 * <p>Any number of threads may use an encoder at once, and close it meanwhile: running calls finish
 * first, later ones fail with a {@link ClosedException}. An encoder never changes; training makes a
 * new one ({@link Trainer#model}). One that is forgotten is freed when it is collected, but native
 * memory does not press the collector: close it.
 */
public final class SentenceEncoder implements AutoCloseable {
  private final NativeHandle handle;
  private final int dimension; // under the model's own options: it never changes

  private SentenceEncoder(long model) {
    handle = new NativeHandle("SentenceEncoder", model, Native::cs_model_free);
    dimension = dimension();
  }

  /** Loads a folder of sentence-transformers or Hugging Face. */
  public static SentenceEncoder load(Path folder) {
    return load(folder, null);
  }

  /**
   * The same with keys of {@code Config.describe("model")}, such as device and precision; nullable.
   * Key "kind" is always "encoder": a {@link Reranker} loads rerankers.
   */
  public static SentenceEncoder load(Path folder, Config config) {
    ContrastiveException.required(folder, "folder");
    try (Config.Borrowed borrowed = new Config.Borrowed(config, "encoder")) {
      return adopt(Native.cs_model_load(folder.toString(), borrowed.handle));
    }
  }

  /**
   * Makes an encoder that does not exist yet: of any size, with random weights, around the
   * tokenizer of a folder ({@link Vocabulary#train}, or an existing model's). It is to be trained
   * from scratch.
   *
   * @param recipe keys of {@code Config.describe("recipe")}, "tokenizer" and "pooling" among them
   */
  public static SentenceEncoder create(Config recipe) {
    ContrastiveException.required(recipe, "recipe");
    try (Config.Borrowed borrowed = new Config.Borrowed(recipe)) {
      return adopt(Native.cs_model_create(borrowed.handle));
    }
  }

  /** Takes a handle that a call of the C API has made. */
  static SentenceEncoder adopt(long model) {
    return new SentenceEncoder(model);
  }

  /**
   * Writes a folder that sentence-transformers, transformers and this library load. At every
   * instant it holds the old complete model or the new complete one. An existing folder is replaced
   * only if it is empty or a model.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(model -> Native.cs_model_save(model, folder.toString()));
  }

  /** Floats of one embedding. */
  public int dimension() {
    return dimension(EncodeOptions.defaults());
  }

  /** Floats of one embedding under options, of which pooling and truncation may change it. */
  public int dimension(EncodeOptions options) {
    return handle.useInt(ContrastiveException.required(options, "options")::dimension);
  }

  /** Tokens of the longest text that is embedded whole, special tokens included. */
  public int maxLength() {
    return handle.useInt(
        model ->
            ContrastiveException.checked(Native.cs_model_max_length(model), "cs_model_max_length"));
  }

  /**
   * What was loaded: shape, pooling, tokenizer, prompts, device, and notes. The first call reads
   * all weights for the fingerprint.
   */
  public ModelInfo info() {
    return ModelInfo.of(handle.use(Native::cs_model_info));
  }

  /**
   * An independent copy with the same weights: what one does to memory and caches is not seen by
   * the other.
   */
  public SentenceEncoder snapshot() {
    return adopt(handle.use(Native::cs_model_snapshot));
  }

  /** Embeds one text. Many texts in one call are faster than many calls. */
  public float[] encode(String text) {
    return encode(List.of(ContrastiveException.required(text, "text")))[0];
  }

  /**
   * Embeds texts: row i is the embedding of text i. It does not depend on the others, last bits
   * aside: a text alone is summed in another order.
   */
  public float[][] encode(List<String> texts) {
    return encode(texts, EncodeOptions.defaults());
  }

  /** The same under options. */
  public float[][] encode(List<String> texts, EncodeOptions options) {
    ContrastiveException.required(options, "options");
    Packed packed = Packed.of(texts);
    return handle.use(
        model -> {
          float[][] rows = new float[(int) packed.rows][width(options, model)];
          options.encode(
              model, packed, rows, rows.length == 0 ? 0 : (long) rows.length * rows[0].length);
          return rows;
        });
  }

  private int width(EncodeOptions options, long model) {
    return options.keepDimension() ? dimension : options.dimension(model);
  }

  /**
   * Embeds into an array: the embedding of text i begins at {@code i * dimension}; what lies behind
   * the last is left alone.
   */
  public void encode(List<String> texts, EncodeOptions options, float[] out) {
    ContrastiveException.required(options, "options");
    ContrastiveException.required(out, "out");
    Packed packed = Packed.of(texts);
    handle.useInt(
        model ->
            options.encode(
                model, packed, out, Math.min(out.length, packed.rows * width(options, model))));
  }

  /**
   * Embeds into a direct buffer in native order ({@link Vectors#allocate}), without a copy: the
   * embedding of text i begins at {@code i * dimension} from its position, which stays where it is.
   * A buffer over memory that can be given back, such as that of an Arena, must not lose it during
   * the call.
   */
  public void encode(List<String> texts, EncodeOptions options, FloatBuffer out) {
    ContrastiveException.required(options, "options");
    FloatBuffer memory = Vectors.writable(ContrastiveException.required(out, "out"));
    Packed packed = Packed.of(texts);
    handle.useInt(model -> options.encode(model, packed, memory, memory.capacity()));
  }

  /**
   * Measures the model on a task.
   *
   * <pre>{@code
   * Report report = encoder.evaluate("sts", Config.of("data", "sts-benchmark/test.tsv"));
   * double spearman = report.number("spearman", "all").getAsDouble();
   * }</pre>
   *
   * @param task "sts", "retrieval", "geometry", ...: {@link Config#describeAll} has the keys of all
   *     under their names
   * @param config keys of {@code Config.describe(task)}
   */
  public Report evaluate(String task, Config config) {
    return evaluate(task, config, null);
  }

  /** The same with a flag that stops it; nullable. */
  public Report evaluate(String task, Config config, Cancel cancel) {
    ContrastiveException.required(task, "task");
    ContrastiveException.required(config, "config");
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Report(
          handle.use(
              model ->
                  CallScope.run(
                      cancel, flag -> Native.cs_evaluate(model, task, borrowed.handle, flag))));
    }
  }

  /**
   * Mines hard negatives: finds, for pairs (anchor, positive), texts that are like the anchor and
   * no answer to it, and writes them as a file to train on. The search is exact.
   *
   * <pre>{@code
   * Report report = encoder.mine(pairs, corpus, Path.of("mined.jsonl"), Config.of("num_negatives", 5));
   * }</pre>
   *
   * @param corpus texts; nullable: the positives, which are candidates in any case
   * @param output the file; its name ends in .jsonl or .tsv. It is replaced when all is found
   * @param config keys of {@code Config.describe("mining")}; nullable
   * @return how many rows were written, what each filter took out, figures of the scores, and a
   *     sample to look at
   */
  public Report mine(Dataset pairs, Dataset corpus, Path output, Config config) {
    return mine(pairs, corpus, output, config, null, null);
  }

  /**
   * The same with a second encoder, whose scores of the candidates decide, and a flag that stops
   * it: the same call then goes on with what was embedded.
   *
   * @param guide nullable: none
   * @param cancel nullable
   */
  public Report mine(
      Dataset pairs,
      Dataset corpus,
      Path output,
      Config config,
      SentenceEncoder guide,
      Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    if (guide != null)
      return guide.handle.use(second -> mine(pairs, corpus, output, config, second, cancel));
    return mine(pairs, corpus, output, config, 0L, cancel);
  }

  /**
   * The same with a reranker as the guide: it reads each candidate together with the anchor, which
   * takes far longer.
   *
   * @param guide a reranker with one label
   * @param cancel nullable
   */
  public Report mineReranked(
      Dataset pairs, Dataset corpus, Path output, Config config, Reranker guide, Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    ContrastiveException.required(guide, "guide");
    return guide.handle().use(second -> mine(pairs, corpus, output, config, second, cancel));
  }

  private Report mine(
      Dataset pairs, Dataset corpus, Path output, Config config, long guide, Cancel cancel) {
    if (corpus != null)
      return corpus.handle().use(texts -> mine(pairs, texts, output, config, guide, cancel));
    return mine(pairs, 0L, output, config, guide, cancel);
  }

  private Report mine(
      Dataset pairs, long corpus, Path output, Config config, long guide, Cancel cancel) {
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Report(
          handle.use(
              model ->
                  pairs
                      .handle()
                      .use(
                          data ->
                              CallScope.run(
                                  cancel,
                                  flag ->
                                      Native.cs_mine(
                                          model,
                                          guide,
                                          data,
                                          corpus,
                                          output.toString(),
                                          borrowed.handle,
                                          flag)))));
    }
  }

  /**
   * Adapts the model to pairs of a query and the document that answers it: splits the pairs, tests
   * the model, mines hard negatives, trains, tests again, and writes the result only if it is
   * better.
   *
   * <pre>{@code
   * Report report = encoder.adapt(pairs, corpus, Path.of("adapted"), Config.of("min_gain", 0.01));
   * if (!report.flag("shipped")) System.out.println(report.text("reason"));
   * }</pre>
   *
   * @param corpus texts, what is searched beside the documents of the pairs; nullable: those alone
   * @param output the folder for the model; one that is there is replaced at the end, atomically
   * @param config keys of {@code Config.describe("adapt")}; nullable
   * @return whether the model was written and why, the figures before and after with their
   *     intervals, and all that was found on the way
   */
  public Report adapt(Dataset pairs, Dataset corpus, Path output, Config config) {
    return adapt(pairs, corpus, output, config, null);
  }

  /**
   * The same with a flag that stops it: the same call then goes on with what was done. @param
   * cancel nullable
   */
  public Report adapt(Dataset pairs, Dataset corpus, Path output, Config config, Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    if (corpus != null)
      return corpus.handle().use(texts -> adapt(pairs, texts, output, config, cancel));
    return adapt(pairs, 0L, output, config, cancel);
  }

  private Report adapt(Dataset pairs, long corpus, Path output, Config config, Cancel cancel) {
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Report(
          handle.use(
              model ->
                  pairs
                      .handle()
                      .use(
                          data ->
                              CallScope.run(
                                  cancel,
                                  flag ->
                                      Native.cs_adapt(
                                          model,
                                          data,
                                          corpus,
                                          output.toString(),
                                          borrowed.handle,
                                          flag)))));
    }
  }

  /** The tokens of a text, cut at the model's own limit. */
  public Tokens tokenize(String text) {
    return tokenize(text, 0);
  }

  /** The tokens of a text. @param maxLength how many at most; 0: the model's own limit; -1: none */
  public Tokens tokenize(String text, int maxLength) {
    ContrastiveException.required(text, "text");
    return handle.use(model -> Tokenizing.tokens(model, text, maxLength));
  }

  /**
   * The tokens of a pair of texts, of which the longer is cut first. @param maxLength as in {@link
   * #tokenize(String, int)}
   */
  public TokenPair tokenizePair(String a, String b, int maxLength) {
    ContrastiveException.required(a, "a");
    ContrastiveException.required(b, "b");
    return handle.use(model -> Tokenizing.pair(model, a, b, maxLength));
  }

  /** The vocabulary's text for an id; "" where it has none. */
  public String token(int id) {
    return handle.use(model -> Native.cs_token(model, id));
  }

  /** Lets the model go. Calls that run finish first. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }

  NativeHandle handle() {
    return handle;
  }
}
