package io.contrastive;

import java.nio.FloatBuffer;

/** Computes similarities of embeddings. */
public final class Similarity {
  private Similarity() {}

  /** The cosine of the angle between two vectors, in [-1, 1]; 0 if one of them is zero. */
  public static float cosine(float[] a, float[] b) {
    return score(a, b, Metric.COSINE);
  }

  /** The similarity of two vectors. */
  public static float score(float[] a, float[] b, Metric metric) {
    ContrastiveException.required(a, "a");
    ContrastiveException.required(b, "b");
    float[] score = new float[1];
    scores(Vectors.of(a, a.length), Vectors.of(b, b.length), metric, score, 1);
    return score[0];
  }

  /**
   * Compares each vector of {@code a} with each of {@code b}: {@code [i][j]} is the score of a[i]
   * and b[j].
   */
  public static float[][] matrix(float[][] a, float[][] b, Metric metric) {
    ContrastiveException.required(metric, "metric");
    return ContrastiveException.required(a, "a").length == 0
            || ContrastiveException.required(b, "b").length == 0
        ? new float[a.length][0]
        : matrix(Vectors.of(a), Vectors.of(b), metric);
  }

  /** Compares each vector of {@code a} with each of {@code b}, in arrays or buffers. */
  public static float[][] matrix(Vectors a, Vectors b, Metric metric) {
    sameDimension(a, b);
    float[][] scores = new float[a.size()][b.size()];
    scores(a, b, metric, scores, (long) a.size() * b.size());
    return scores;
  }

  /**
   * Compares vectors and writes the scores into a direct buffer. The score of a[i] and b[j] is at
   * {@code i * b.size() + j} from the buffer's position, which does not change.
   */
  public static void matrix(Vectors a, Vectors b, Metric metric, FloatBuffer out) {
    FloatBuffer memory = Vectors.writable(ContrastiveException.required(out, "out"));
    scores(a, b, metric, memory, memory.capacity());
  }

  private static void scores(Vectors a, Vectors b, Metric metric, Object out, long capacity) {
    sameDimension(a, b);
    ContrastiveException.required(metric, "metric");
    Native.cs_similarity(a, a.size(), b, b.size(), a.dimension(), metric.code(), out, capacity);
  }

  static void sameDimension(Vectors a, Vectors b) {
    ContrastiveException.required(a, "a");
    ContrastiveException.required(b, "b");
    if (a.dimension() != b.dimension()) {
      throw ContrastiveException.argument(
          "vectors of dimension "
              + a.dimension()
              + " are compared with vectors of dimension "
              + b.dimension());
    }
  }
}
