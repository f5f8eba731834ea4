package io.contrastive;

/**
 * A similarity measure for two embeddings. A larger value always means more similar: the two
 * distances are negated.
 */
public enum Metric {
  /** The cosine of the angle, in [-1, 1]; 0 if a vector is zero. */
  COSINE,
  /** The inner product. */
  DOT,
  /** The negative L2 distance. */
  EUCLIDEAN,
  /** The negative L1 distance. */
  MANHATTAN;

  /** The C API's number of the metric: the constants are in the same order, from 0. */
  int code() {
    return ordinal();
  }
}
