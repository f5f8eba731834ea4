package io.contrastive;

import java.util.Arrays;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Exact nearest-neighbor search in a corpus of vectors. */
public final class Search {
  private Search() {}

  /**
   * The hits of one query, best first. Hits with equal scores are sorted by index.
   *
   * @param indices the hits' indices in the corpus
   * @param scores the similarities of the query and the hits
   */
  public record Hits(int[] indices, float[] scores) {
    /** The number of hits: k, or the size of the corpus if that is smaller. */
    public int size() {
      return indices.length;
    }

    /** Whether the other hits have the same indices and scores. */
    @Override
    public boolean equals(Object other) {
      return other instanceof Hits hits
          && Arrays.equals(indices, hits.indices)
          && Arrays.equals(scores, hits.scores);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(indices) + Arrays.hashCode(scores);
    }

    /** The hits as index=score, best first. */
    @Override
    public String toString() {
      StringJoiner hits = new StringJoiner(", ", "Hits[", "]");
      for (int i = 0; i < indices.length; i++) hits.add(indices[i] + "=" + scores[i]);
      return hits.toString();
    }
  }

  /**
   * Finds the k nearest vectors of the corpus for each query. NaN or infinity in a vector is an
   * error of kind NUMERIC.
   */
  public static Hits[] nearest(float[][] queries, float[][] corpus, int k, Metric metric) {
    if (ContrastiveException.required(queries, "queries").length == 0) return new Hits[0];
    if (ContrastiveException.required(corpus, "corpus").length == 0) {
      Vectors looked = Vectors.of(queries);
      return nearest(looked, Vectors.of(new float[0], looked.dimension()), k, metric, null);
    }
    return nearest(Vectors.of(queries), Vectors.of(corpus), k, metric, null);
  }

  /**
   * Finds the k nearest vectors in arrays or buffers, with a flag that stops the call (nullable).
   */
  public static Hits[] nearest(
      Vectors queries, Vectors corpus, int k, Metric metric, @Nullable Cancel cancel) {
    ContrastiveException.required(queries, "queries");
    ContrastiveException.required(corpus, "corpus");
    ContrastiveException.required(metric, "metric");
    Similarity.sameDimension(queries, corpus);
    int hits = Math.min(k, Math.max(1, corpus.size())); // a k beyond the corpus costs no memory
    int capacity = Math.multiplyExact(queries.size(), Math.max(0, hits));
    int[] indices = new int[capacity];
    float[] scores = new float[capacity];
    CallScope.run(
        cancel,
        flag ->
            Native.cs_search(
                queries,
                queries.size(),
                corpus,
                corpus.size(),
                queries.dimension(),
                metric.code(),
                hits,
                indices,
                scores,
                capacity,
                flag));
    Hits[] result = new Hits[queries.size()];
    int found = Math.min(hits, corpus.size());
    for (int i = 0; i < result.length; i++) {
      result[i] =
          new Hits(
              Arrays.copyOfRange(indices, i * hits, i * hits + found),
              Arrays.copyOfRange(scores, i * hits, i * hits + found));
    }
    return result;
  }
}
