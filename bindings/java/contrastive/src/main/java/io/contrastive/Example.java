package io.contrastive;

import java.util.ArrayList;
import java.util.List;

/**
 * A training example: one text, a pair, or a pair and hard negatives.
 *
 * @param texts the first text, its positive, then negatives; an empty negative is none
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

  /** A pair, and texts that resemble the first and must not be taken for its partner. Methods that know no hard negatives leave them aside. */
  public static Example withNegatives(String text, String positive, String... negatives) {
    List<String> texts = new ArrayList<>(List.of(text, positive));
    texts.addAll(List.of(negatives));
    return new Example(texts, Double.NaN);
  }
}
