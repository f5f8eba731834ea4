package io.contrastive;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A model that scores a query and a document together (cross-encoder). It is more accurate than
 * comparing two embeddings, and must read each pair anew: let it order what {@link Search} has
 * found.
 *
 * <pre>{@code
 * try (Reranker reranker = Reranker.load(Path.of("ms-marco-MiniLM-L6-v2"))) {
 *   for (Reranker.Ranked ranked : reranker.rank("who lives in the sea?", List.of("A fish swims.", "The sun is up."))) {
 *     System.out.println(ranked.score() + " document " + ranked.index());
 *   }
 * }
 * }</pre>
 *
 * <p>Any number of threads may use a reranker at once, and close it meanwhile: running calls finish
 * first, later ones fail with a {@link ClosedException}. A reranker never changes.
 */
public final class Reranker implements AutoCloseable {
  /**
   * A document in the order of {@link #rank(String, List)}.
   *
   * @param index which document
   * @param score how well it answers the query
   */
  public record Ranked(int index, float score) {}

  static final int KIND = 2; // CS_KIND_RERANKER

  private final NativeHandle handle;
  private final int labels;
  private final int maxLength;

  private Reranker(long reranker) {
    handle = new NativeHandle("Reranker", reranker, Native::cs_model_free);
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
   * Whether a folder says that it is a reranker. False where nothing can be read: loading says what
   * is wrong.
   */
  public static boolean detect(Path folder) {
    ContrastiveException.required(folder, "folder");
    return Native.cs_model_detect(folder.toString()) == KIND;
  }

  /**
   * Loads a reranker: a Hugging Face folder of ...ForSequenceClassification, or one that
   * sentence-transformers' CrossEncoder saved.
   */
  public static Reranker load(Path folder) {
    return load(folder, null);
  }

  /**
   * The same with keys of {@code Config.describe("model")}, such as device and precision; nullable.
   * Key "kind" is always "reranker".
   */
  public static Reranker load(Path folder, Config config) {
    ContrastiveException.required(folder, "folder");
    try (Config.Borrowed borrowed = new Config.Borrowed(config, "reranker")) {
      return new Reranker(Native.cs_model_load(folder.toString(), borrowed.handle));
    }
  }

  /**
   * Writes a folder that sentence-transformers' CrossEncoder loads too. At every instant it holds
   * the old complete model or the new one.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    handle.useInt(reranker -> Native.cs_model_save(reranker, folder.toString()));
  }

  /** What the scores of a pair are called: one label for most rerankers. */
  public List<String> labels() {
    return info().labels();
  }

  /** Tokens of the longest pair that is read whole, special tokens included. */
  public int maxLength() {
    return maxLength;
  }

  /**
   * What was loaded: shape, labels, activation, tokenizer, prompts, device, and notes. The first
   * call reads all weights for the fingerprint.
   */
  public RerankerInfo info() {
    return RerankerInfo.of(handle.use(Native::cs_model_info));
  }

  /**
   * The documents in the order in which they answer the query, the best first; of equal scores the
   * lower index comes first.
   */
  public List<Ranked> rank(String query, List<String> documents) {
    return rank(query, documents, RerankOptions.defaults());
  }

  /** The same under options. A model of several labels gives no order. */
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

  /** The scores of each document for the query: row i has a score for each label. */
  public float[][] score(String query, List<String> documents) {
    return score(query, documents, RerankOptions.defaults());
  }

  /** The same under options. */
  public float[][] score(String query, List<String> documents, RerankOptions options) {
    ContrastiveException.required(query, "query");
    String[] now = ContrastiveException.required(documents, "documents").toArray(new String[0]);
    String[] queries = new String[now.length];
    Arrays.fill(queries, query);
    return scorePairs(Arrays.asList(queries), Arrays.asList(now), options);
  }

  /**
   * The scores of pairs: row i has a score for each label of the texts {@code first[i]} and {@code
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
   * @param task "sts" or "reranking": the other tasks measure embeddings
   * @param config keys of {@code Config.describe(task)}, "data" among them
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
              reranker ->
                  CallScope.run(
                      cancel, flag -> Native.cs_evaluate(reranker, task, borrowed.handle, flag))));
    }
  }

  /** Lets the model go. Calls that run finish first. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }
}
