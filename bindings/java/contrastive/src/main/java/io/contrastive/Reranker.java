package io.contrastive;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cross-encoder: a model that reads a query and a document together and scores how well the
 * document answers the query. It is more accurate than comparing two embeddings, but slower,
 * because it must read every pair. Use it to sort the hits of {@link Search}.
 *
 * <pre>{@code
 * try (Reranker reranker = Reranker.load(Path.of("ms-marco-MiniLM-L6-v2"))) {
 *   List<String> documents = List.of("A fish swims.", "The sun is up.");
 *   for (Reranker.Ranked ranked : reranker.rank("who lives in the sea?", documents)) {
 *     System.out.println(ranked.score() + " document " + ranked.index());
 *   }
 * }
 * }</pre>
 *
 * <p>A reranker is thread-safe: any number of threads may use it at once. If one thread closes it,
 * running calls finish first and later calls throw a {@link ClosedException}. A reranker never
 * changes.
 */
public final class Reranker implements AutoCloseable {
  /**
   * A document in the result of {@link #rank(String, List)}.
   *
   * @param index the document's index in the argument
   * @param score how well it answers the query
   */
  public record Ranked(int index, float score) {}

  static final int KIND = 2; // CS_KIND_RERANKER

  private final NativeHandle handle;
  private final int labels;
  private final int maxLength;

  private Reranker(long reranker) {
    handle = NativeHandle.ofModel("Reranker", reranker);
    labels =
        handle.useInt(
            pointer ->
                ContrastiveException.checked(Native.cs_model_labels(pointer), "cs_model_labels"));
    maxLength =
        handle.useInt(
            pointer ->
                ContrastiveException.checked(
                    Native.cs_model_max_length(pointer), "cs_model_max_length"));
  }

  static Reranker adopt(long reranker) {
    return new Reranker(reranker);
  }

  NativeHandle handle() {
    return handle;
  }

  /**
   * Whether a folder contains a reranker. False if the folder cannot be read; {@link #load(Path)}
   * then reports the reason.
   */
  public static boolean detect(Path folder) {
    ContrastiveException.required(folder, "folder");
    return Native.cs_model_detect(folder.toString()) == KIND;
  }

  /**
   * Loads a reranker: a Hugging Face folder of a {@code ...ForSequenceClassification} model, or a
   * folder that sentence-transformers' CrossEncoder saved.
   */
  public static Reranker load(Path folder) {
    return load(folder, null);
  }

  /**
   * Loads a reranker with options.
   *
   * @param config keys of {@code Config.describe("model")}, such as device and precision; nullable.
   *     The key "kind" is always "reranker"
   */
  public static Reranker load(Path folder, @Nullable Config config) {
    ContrastiveException.required(folder, "folder");
    try (Config.Borrowed borrowed = new Config.Borrowed(config, "reranker")) {
      return new Reranker(Native.cs_model_load(folder.toString(), borrowed.handle));
    }
  }

  /**
   * Writes a folder that sentence-transformers' CrossEncoder loads too. The save is atomic: at
   * every instant the folder contains either the complete old model or the complete new one.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(reranker -> Native.cs_model_save(reranker, folder.toString()));
  }

  /** The names of a pair's scores. Most rerankers have one. */
  public List<String> labels() {
    return info().labels();
  }

  /** The memory that the model's weights use, in bytes. */
  public long memory() {
    return handle.use(NativeHandle::memoryOf);
  }

  /** The maximum number of tokens of a pair, special tokens included. Longer pairs are cut. */
  public int maxLength() {
    return maxLength;
  }

  /**
   * Describes the loaded model: shape, labels, activation, tokenizer, prompts, device, and notes.
   * The first call reads all weights to compute the fingerprint.
   */
  public RerankerInfo info() {
    return RerankerInfo.of(handle.use(Native::cs_model_info));
  }

  /**
   * Sorts documents by how well they answer the query, best first. Documents with equal scores are
   * sorted by index.
   */
  public List<Ranked> rank(String query, List<String> documents) {
    return rank(query, documents, RerankOptions.defaults());
  }

  /** Sorts documents, with options. Throws ARGUMENT if the model has several labels. */
  public List<Ranked> rank(String query, List<String> documents, RerankOptions options) {
    if (labels != 1) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.ARGUMENT,
          "the model has " + labels + " labels and gives no order: use score",
          null);
    }
    float[][] scores = score(query, documents, options);
    List<Ranked> ranked = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) ranked.add(new Ranked(i, scores[i][0]));
    ranked.sort(Comparator.comparing(Ranked::score).reversed());
    return ranked;
  }

  /** Scores each document for the query. Row i has a score for each label. */
  public float[][] score(String query, List<String> documents) {
    return score(query, documents, RerankOptions.defaults());
  }

  /** Scores each document for the query, with options. Row i has a score for each label. */
  public float[][] score(String query, List<String> documents, RerankOptions options) {
    ContrastiveException.required(query, "query");
    String[] now = ContrastiveException.required(documents, "documents").toArray(new String[0]);
    String[] queries = new String[now.length];
    Arrays.fill(queries, query);
    return scorePairs(Arrays.asList(queries), Arrays.asList(now), options);
  }

  /**
   * Scores pairs of texts. Row i has a score for each label of the pair {@code first[i]}, {@code
   * second[i]}.
   */
  public float[][] scorePairs(List<String> first, List<String> second, RerankOptions options) {
    ContrastiveException.required(options, "options");
    String[] a = ContrastiveException.required(first, "first").toArray(new String[0]);
    String[] b = ContrastiveException.required(second, "second").toArray(new String[0]);
    if (a.length != b.length) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.ARGUMENT,
          a.length + " first texts do not pair with " + b.length + " second ones",
          null);
    }
    Packed.Builder builder = new Packed.Builder(Math.multiplyExact(2, a.length));
    for (int i = 0; i < a.length; i++) {
      builder.add(a[i]);
      builder.add(b[i]);
    }
    Packed packed = builder.build(2L * a.length);
    float[] flat = new float[Math.multiplyExact(a.length, labels)];
    handle.useInt(reranker -> options.score(reranker, packed, flat));
    float[][] rows = new float[a.length][];
    for (int i = 0; i < rows.length; i++)
      rows[i] = Arrays.copyOfRange(flat, i * labels, (i + 1) * labels);
    return rows;
  }

  /**
   * Measures the reranker on a task.
   *
   * @param task "sts" or "reranking"; the other tasks measure embeddings
   * @param config keys of {@code Config.describe(task)}, such as "data"
   */
  public Report evaluate(String task, Config config) {
    return evaluate(task, config, null);
  }

  /**
   * Measures the reranker on a task, with a flag that stops the call.
   *
   * @param cancel nullable
   */
  public Report evaluate(String task, Config config, @Nullable Cancel cancel) {
    ContrastiveException.required(task, "task");
    ContrastiveException.required(config, "config");
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Report(
          handle.use(
              reranker ->
                  CallScope.run(
                      cancel, flag -> Native.cs_evaluate(reranker, task, borrowed.handle, flag))));
    }
  }

  @Override
  public String toString() {
    return "Reranker[%d labels, at most %d tokens]".formatted(labels, maxLength);
  }

  /** Frees the model after running calls have finished. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }
}
