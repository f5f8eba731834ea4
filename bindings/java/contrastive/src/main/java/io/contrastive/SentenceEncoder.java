package io.contrastive;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A model that turns sentences into vectors (embeddings). It consists of a tokenizer, an encoder, a
 * pooling, and any layers after it. To get the folder of this example: {@code hf download
 * sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2}.
 *
 * <pre>{@code
 * try (SentenceEncoder encoder = SentenceEncoder.load(Path.of("all-MiniLM-L6-v2"))) {
 *   float[][] vectors = encoder.encode(List.of("A man is eating food.", "Someone has a meal."));
 *   System.out.println(Similarity.cosine(vectors[0], vectors[1]));
 * }
 * }</pre>
 *
 * <p>An encoder is thread-safe: any number of threads may use it at once. If one thread closes it,
 * running calls finish first and later calls throw a {@link ClosedException}. An encoder never
 * changes; training makes a new one ({@link Trainer#model}). Close encoders that you no longer
 * need. The garbage collector frees an encoder that was not closed. It does not see native memory,
 * so loading many models makes the package ask for a collection ({@code System.gc()}).
 */
public final class SentenceEncoder implements AutoCloseable {
  private final NativeHandle handle;
  private final String name;
  private final int dimension; // with the model's own options; it never changes

  private SentenceEncoder(long model, String name) {
    handle = NativeHandle.ofModel("SentenceEncoder", model);
    this.name = name;
    dimension = dimension();
  }

  /** Loads a sentence-transformers or Hugging Face folder. */
  public static SentenceEncoder load(Path folder) {
    return load(folder, null);
  }

  /**
   * Loads a folder with options.
   *
   * @param config keys of {@code Config.describe("model")}, such as device and precision; nullable.
   *     The key "kind" is always "encoder"; use {@link Reranker#load(Path)} to load a reranker
   */
  public static SentenceEncoder load(Path folder, @Nullable Config config) {
    ContrastiveException.required(folder, "folder");
    try (Config.Borrowed borrowed = new Config.Borrowed(config, "encoder")) {
      long model = Native.cs_model_load(folder.toString(), borrowed.handle);
      Path last = folder.toAbsolutePath().normalize().getFileName();
      return new SentenceEncoder(model, last == null ? "" : last.toString());
    }
  }

  /**
   * Creates an encoder with random weights, of any size, to train from scratch. Its tokenizer comes
   * from a folder that {@link Vocabulary#train} wrote or from an existing model.
   *
   * @param recipe keys of {@code Config.describe("recipe")}, such as "tokenizer" and "pooling"
   */
  public static SentenceEncoder create(Config recipe) {
    ContrastiveException.required(recipe, "recipe");
    try (Config.Borrowed borrowed = new Config.Borrowed(recipe)) {
      return adopt(Native.cs_model_create(borrowed.handle));
    }
  }

  /** Takes ownership of a handle that the C API returned. */
  static SentenceEncoder adopt(long model) {
    return new SentenceEncoder(model, "");
  }

  /**
   * Writes a folder that sentence-transformers, transformers and this library load. The save is
   * atomic: at every instant the folder contains either the complete old model or the complete new
   * one. An existing folder is replaced only if it is empty or contains a model.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(model -> Native.cs_model_save(model, folder.toString()));
  }

  /** The name of the folder that the model was loaded from; "" if it was not loaded. */
  public String name() {
    return name;
  }

  /** The memory that the model's weights use, in bytes. */
  public long memory() {
    return handle.use(NativeHandle::memoryOf);
  }

  /** The number of floats in an embedding. */
  public int dimension() {
    return dimension(EncodeOptions.defaults());
  }

  /**
   * The number of floats in an embedding with these options. Pooling and truncation may change it.
   */
  public int dimension(EncodeOptions options) {
    return handle.useInt(ContrastiveException.required(options, "options")::dimension);
  }

  /** The maximum number of tokens of a text, special tokens included. Longer texts are cut. */
  public int maxLength() {
    return handle.useInt(
        model ->
            ContrastiveException.checked(Native.cs_model_max_length(model), "cs_model_max_length"));
  }

  /**
   * Describes the loaded model: shape, pooling, tokenizer, prompts, device, and notes. The first
   * call reads all weights to compute the fingerprint.
   */
  public ModelInfo info() {
    return ModelInfo.of(handle.use(Native::cs_model_info));
  }

  /**
   * Returns an independent copy with the same weights. The two share no caches or scratch memory.
   */
  public SentenceEncoder snapshot() {
    return new SentenceEncoder(handle.use(Native::cs_model_snapshot), name);
  }

  /** Embeds one text. Many texts in one call are faster than many calls. */
  public float[] encode(String text) {
    return encode(List.of(ContrastiveException.required(text, "text")))[0];
  }

  /**
   * Embeds texts: row i is the embedding of text i. It does not depend on the other texts, except
   * that the last bits may differ from those of the same text embedded alone, because the order of
   * the sums differs.
   */
  public float[][] encode(List<String> texts) {
    return encode(texts, EncodeOptions.defaults());
  }

  /** Embeds texts with options: row i is the embedding of text i. */
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

  /**
   * Embeds a stream of texts, in batches of 1,024, as the result is read. The result has the
   * embedding of each text in the same order. Closing it closes the stream of texts. It reads ahead
   * by up to a batch. Token counts among the options are an error.
   *
   * <pre>{@code
   * try (Stream<String> lines = Files.lines(Path.of("texts.txt"))) {
   *   encoder.encode(lines, EncodeOptions.defaults()).forEach(vector -> store(vector));
   * }
   * }</pre>
   */
  public Stream<float[]> encode(Stream<String> texts, EncodeOptions options) {
    ContrastiveException.required(options, "options").refuseTokenCounts();
    ContrastiveException.required(texts, "texts");
    Iterator<float[]> vectors = new Batches(this, texts.iterator(), options);
    int properties = Spliterator.ORDERED | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(vectors, properties), false)
        .onClose(texts::close);
  }

  /** Embeds texts on a thread of {@link CompletableFuture#defaultExecutor}. */
  public CompletableFuture<float[][]> encodeAsync(List<String> texts, EncodeOptions options) {
    return encodeAsync(texts, options, new CompletableFuture<>().defaultExecutor());
  }

  /**
   * Embeds texts on a thread of an executor. Cancelling the future stops the call. If you close the
   * encoder before the executor starts the call, the future fails with a {@link ClosedException}.
   */
  public CompletableFuture<float[][]> encodeAsync(
      List<String> texts, EncodeOptions options, Executor executor) {
    ContrastiveException.required(texts, "texts");
    ContrastiveException.required(options, "options");
    ContrastiveException.required(executor, "executor");
    CompletableFuture<float[][]> result = new CompletableFuture<>();
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              try {
                result.complete(encode(texts, options));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
              return null;
            });
    result.whenComplete(
        (vectors, failure) -> {
          if (result.isCancelled()) task.cancel(true);
        });
    executor.execute(
        () -> {
          task.run();
          if (task.isCancelled()) Thread.interrupted(); // the thread belongs to the executor
        });
    return result;
  }

  private int width(EncodeOptions options, long model) {
    return options.keepDimension() ? dimension : options.dimension(model);
  }

  /**
   * Embeds into an array. The embedding of text i begins at {@code i * dimension}. Floats after the
   * last embedding are not changed.
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
   * Embeds into a direct buffer in native byte order ({@link Vectors#allocate}), without a copy.
   * The embedding of text i begins at {@code i * dimension} from the buffer's position, which does
   * not change. If the buffer's memory can be released, such as that of an Arena, do not release it
   * during the call.
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
   * @param task "sts", "retrieval", "geometry", ...; {@link Config#describeAll} lists all tasks and
   *     their keys
   * @param config keys of {@code Config.describe(task)}
   */
  public Report evaluate(String task, Config config) {
    return evaluate(task, config, null);
  }

  /**
   * Measures the model on a task, with a flag that stops the call.
   *
   * @param cancel nullable
   */
  public Report evaluate(String task, Config config, @Nullable Cancel cancel) {
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
   * Mines hard negatives. For each pair (anchor, positive) it finds texts that are similar to the
   * anchor but do not answer it, and writes a file to train on. The search is exact.
   *
   * <pre>{@code
   * Config config = Config.of("num_negatives", 5);
   * Report report = encoder.mine(pairs, corpus, Path.of("mined.jsonl"), config);
   * }</pre>
   *
   * @param corpus texts to search; the positives are always candidates. If null, only the positives
   *     are searched
   * @param output the output file; its name ends in .jsonl or .tsv. It is replaced when mining has
   *     finished
   * @param config keys of {@code Config.describe("mining")}; nullable
   * @return the number of rows written, how many candidates each filter removed, statistics of the
   *     scores, and a sample to inspect
   */
  public Report mine(
      Dataset pairs, @Nullable Dataset corpus, Path output, @Nullable Config config) {
    return mine(pairs, corpus, output, config, null, null);
  }

  /**
   * Mines with a second encoder that scores the candidates, and with a flag that stops the call. If
   * the call is stopped, repeating it later reuses the embeddings already computed.
   *
   * @param guide the second encoder; nullable
   * @param cancel nullable
   */
  public Report mine(
      Dataset pairs,
      @Nullable Dataset corpus,
      Path output,
      @Nullable Config config,
      @Nullable SentenceEncoder guide,
      @Nullable Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    if (guide != null)
      return guide.handle.use(second -> mine(pairs, corpus, output, config, second, cancel));
    return mine(pairs, corpus, output, config, 0L, cancel);
  }

  /**
   * Mines with a reranker that scores the candidates. It reads each candidate together with the
   * anchor, which is more accurate than comparing embeddings and takes far longer.
   *
   * @param guide a reranker with one label
   * @param cancel nullable
   */
  public Report mineReranked(
      Dataset pairs,
      @Nullable Dataset corpus,
      Path output,
      @Nullable Config config,
      Reranker guide,
      @Nullable Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    ContrastiveException.required(guide, "guide");
    return guide.handle().use(second -> mine(pairs, corpus, output, config, second, cancel));
  }

  private Report mine(
      Dataset pairs,
      @Nullable Dataset corpus,
      Path output,
      @Nullable Config config,
      long guide,
      @Nullable Cancel cancel) {
    if (corpus != null)
      return corpus.handle().use(texts -> mine(pairs, texts, output, config, guide, cancel));
    return mine(pairs, 0L, output, config, guide, cancel);
  }

  private Report mine(
      Dataset pairs,
      long corpus,
      Path output,
      @Nullable Config config,
      long guide,
      @Nullable Cancel cancel) {
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
   * Adapts the model to pairs of a query and the document that answers it. It splits the pairs,
   * evaluates the model, mines hard negatives, trains, evaluates again, and writes the new model
   * only if it is better.
   *
   * <pre>{@code
   * Report report = encoder.adapt(pairs, corpus, Path.of("adapted"), Config.of("min_gain", 0.01));
   * if (!report.flag("shipped")) System.out.println(report.text("reason"));
   * }</pre>
   *
   * @param corpus more texts to search, in addition to the documents of the pairs; nullable
   * @param output the folder for the model; an existing model folder is replaced atomically at the
   *     end
   * @param config keys of {@code Config.describe("adapt")}; nullable
   * @return whether the model was written and why, the metrics before and after with their
   *     confidence intervals, and the reports of the steps
   */
  public Report adapt(
      Dataset pairs, @Nullable Dataset corpus, Path output, @Nullable Config config) {
    return adapt(pairs, corpus, output, config, null);
  }

  /**
   * Adapts the model, with a flag that stops the call. If the call is stopped, repeating it later
   * resumes the work.
   *
   * @param cancel nullable
   */
  public Report adapt(
      Dataset pairs,
      @Nullable Dataset corpus,
      Path output,
      @Nullable Config config,
      @Nullable Cancel cancel) {
    ContrastiveException.required(pairs, "pairs");
    ContrastiveException.required(output, "output");
    if (corpus != null)
      return corpus.handle().use(texts -> adapt(pairs, texts, output, config, cancel));
    return adapt(pairs, 0L, output, config, cancel);
  }

  private Report adapt(
      Dataset pairs, long corpus, Path output, @Nullable Config config, @Nullable Cancel cancel) {
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

  /** Tokenizes a text and cuts it at the model's own limit. */
  public Tokens tokenize(String text) {
    return tokenize(text, 0);
  }

  /**
   * Tokenizes a text.
   *
   * @param maxLength the maximum number of tokens; 0: the model's own limit; -1: no limit
   */
  public Tokens tokenize(String text, int maxLength) {
    ContrastiveException.required(text, "text");
    return handle.use(model -> Tokenizing.tokens(model, text, maxLength));
  }

  /**
   * Tokenizes a pair of texts as one sequence. The longer text is cut first.
   *
   * @param maxLength as in {@link #tokenize(String, int)}
   */
  public TokenPair tokenizePair(String a, String b, int maxLength) {
    ContrastiveException.required(a, "a");
    ContrastiveException.required(b, "b");
    return handle.use(model -> Tokenizing.pair(model, a, b, maxLength));
  }

  /** The vocabulary entry of a token id; "" if there is none. */
  public String token(int id) {
    return handle.use(model -> Native.cs_token(model, id));
  }

  /** Frees the model after running calls have finished. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }

  /** The name, dimension and maximum length, or that the encoder is closed. */
  @Override
  public String toString() {
    try {
      String named = name.isEmpty() ? "" : name + ", ";
      return "SentenceEncoder[%sdimension %d, at most %d tokens]"
          .formatted(named, dimension, maxLength());
    } catch (ClosedException e) {
      return "SentenceEncoder[closed]";
    }
  }

  NativeHandle handle() {
    return handle;
  }
}
