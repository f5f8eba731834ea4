package io.contrastive;

import java.nio.file.Path;

/**
 * Learning the vocabulary of a tokenizer, with which a model of one's own begins ({@link
 * SentenceEncoder#create}).
 */
public final class Vocabulary {
  private Vocabulary() {}

  /** Learns a WordPiece vocabulary from the lines of a file, and writes it as a folder. */
  public static void train(Path input, Path output) {
    train(input, output, null, null);
  }

  /**
   * The same under a config. The result depends on the texts and the config alone.
   *
   * @param output the folder; an existing one is replaced only if it is empty or holds a vocabulary
   * @param config keys of {@code Config.describe("vocabulary")}; nullable
   * @param cancel a flag that stops it; nullable
   */
  public static void train(Path input, Path output, Config config, Cancel cancel) {
    ContrastiveException.required(input, "input");
    ContrastiveException.required(output, "output");
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      CallScope.run(
          cancel,
          flag ->
              Native.cs_vocabulary_train(
                  input.toString(), output.toString(), borrowed.handle, flag));
    }
  }
}
