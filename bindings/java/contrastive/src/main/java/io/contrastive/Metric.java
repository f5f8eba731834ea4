package io.contrastive;

/**
 * How two embeddings are compared. Larger always means more alike: the two distances are negated.
 */
public enum Metric {
  /** In [-1, 1]; 0 where a vector is zero. */
  COSINE,
  /** Inner product. */
  DOT,
  /** Minus the L2 distance. */
  EUCLIDEAN,
  /** Minus the L1 distance. */
  MANHATTAN;

  /** The C API numbers them in this order from 0. */
  int code() {
    return ordinal();
  }
}
