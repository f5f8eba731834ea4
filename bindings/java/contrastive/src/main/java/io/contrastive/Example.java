package io.contrastive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A training example: one text, a pair, or a pair with hard negatives.
 *
 * @param texts the first text, its positive, then negatives; an empty negative is ignored
 * @param label a score; NaN if there is none
 */
public record Example(List<String> texts, double label) {
  /** Keeps a copy of the list. */
  public Example {
    texts = copy(texts);
    if (texts.isEmpty()) throw ContrastiveException.argument("an example has at least one text");
  }

  /** An example of one text. */
  public static Example of(String text) {
    return new Example(List.of(ContrastiveException.required(text, "text")), Double.NaN);
  }

  /** Two texts that belong together. */
  public static Example pair(String a, String b) {
    return scored(a, b, Double.NaN);
  }

  /** Two texts and a score of their similarity. */
  public static Example scored(String a, String b, double score) {
    return new Example(
        List.of(ContrastiveException.required(a, "a"), ContrastiveException.required(b, "b")),
        score);
  }

  /**
   * A pair with hard negatives: texts that are similar to the first text but do not belong to it.
   * Methods without hard negatives ignore them.
   */
  public static Example withNegatives(String text, String positive, String... negatives) {
    List<String> texts = new ArrayList<>();
    texts.add(ContrastiveException.required(text, "text"));
    texts.add(ContrastiveException.required(positive, "positive"));
    texts.addAll(Arrays.asList(ContrastiveException.required(negatives, "negatives")));
    return new Example(texts, Double.NaN);
  }

  private static List<String> copy(List<String> texts) {
    String[] now = ContrastiveException.required(texts, "texts").toArray(new String[0]).clone();
    for (int i = 0; i < now.length; i++) {
      if (now[i] == null) throw new NullPointerException("texts[" + i + "] is null");
    }
    return List.of(now);
  }
}
