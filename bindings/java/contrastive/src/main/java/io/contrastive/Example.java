package io.contrastive;

import java.util.List;

/**
 * A training example: one text, a pair, or what else a method learns from.
 *
 * @param texts its texts, in the order that the method expects
 * @param label a score; NaN for none
 */
public record Example(List<String> texts, double label) {
  /** Keeps a copy of the list. */
  public Example {
    texts = List.copyOf(texts);
    if (texts.isEmpty()) throw ContrastiveException.argument("an example has at least one text");
  }

  /** A text alone. */
  public static Example of(String text) {
    return new Example(List.of(text), Double.NaN);
  }

  /** Two texts that belong together. */
  public static Example pair(String a, String b) {
    return new Example(List.of(a, b), Double.NaN);
  }

  /** Two texts and how alike they are. */
  public static Example scored(String a, String b, double score) {
    return new Example(List.of(a, b), score);
  }
}
