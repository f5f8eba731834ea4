package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Creates a model from scratch: learns a vocabulary, and creates an encoder for it. */
@ExtendWith(LeakCheck.class)
class VocabularyTest {
  @TempDir Path folder;

  @Test
  void aModelFromNothing() throws IOException {
    Path texts =
        Files.write(
            folder.resolve("texts.txt"),
            Collections.nCopies(20, "the cat sat on the mat\nunbelievable cats believe"));
    Path vocabulary = folder.resolve("vocabulary");
    Vocabulary.train(texts, vocabulary, Config.of("size", 80), new Cancel());
    assertTrue(Files.readAllLines(vocabulary.resolve("vocab.txt")).contains("the"));
    Config recipe =
        Config.of(
            "tokenizer",
            vocabulary,
            "layers",
            2,
            "hidden_size",
            16,
            "attention_heads",
            2,
            "max_length",
            32,
            "pooling",
            "mean");
    try (SentenceEncoder encoder = SentenceEncoder.create(recipe);
        SentenceEncoder same = SentenceEncoder.create(recipe);
        SentenceEncoder other = SentenceEncoder.create(recipe.with("seed", 2))) {
      assertEquals(16, encoder.dimension());
      assertEquals(32, encoder.maxLength());
      assertArrayEquals(encoder.encode("the cat"), same.encode("the cat"));
      assertTrue(
          encoder.encode("the cat")[0] != other.encode("the cat")[0],
          "the seed determines the weights");
      assertEquals("cat", encoder.token(encoder.tokenize("the cat").ids()[2]));
    }
  }

  @Test
  void mistakesAreTold() throws IOException {
    fails(Kind.ARGUMENT, "tokenizer", () -> SentenceEncoder.create(Config.of("pooling", "mean")));
    fails(
        Kind.NOT_FOUND,
        "missing",
        () -> Vocabulary.train(folder.resolve("missing"), folder.resolve("out")));
    Path texts = Files.write(folder.resolve("texts.txt"), List.of("the cat"));
    fails(
        Kind.ARGUMENT,
        "size",
        () -> Vocabulary.train(texts, folder.resolve("out"), Config.of("size", 0), null));
    Cancel cancel = new Cancel();
    cancel.trigger();
    fails(Kind.CANCELLED, "", () -> Vocabulary.train(texts, folder.resolve("out"), null, cancel));
    assertTrue(Files.notExists(folder.resolve("out")));
  }
}
