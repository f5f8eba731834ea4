package io.contrastive;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Learns the vocabulary of a tokenizer. It is the first step of training a model from scratch
 * ({@link SentenceEncoder#create}).
 */
public final class Vocabulary {
  private Vocabulary() {}

  /** Learns a WordPiece vocabulary from the lines of a file, and writes it as a folder. */
  public static void train(Path input, Path output) {
    train(input, output, null, null);
  }

  /**
   * Learns a vocabulary with options. The result depends only on the texts and the config.
   *
   * @param output the folder; an existing one is replaced only if it is empty or contains a
   *     vocabulary
   * @param config keys of {@code Config.describe("vocabulary")}; nullable
   * @param cancel a flag that stops the call; nullable
   */
  public static void train(
      Path input, Path output, @Nullable Config config, @Nullable Cancel cancel) {
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
