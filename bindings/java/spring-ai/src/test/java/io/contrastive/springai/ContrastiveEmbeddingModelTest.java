package io.contrastive.springai;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.contrastive.SentenceEncoder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

class ContrastiveEmbeddingModelTest {
  private static final Path MODEL =
      Path.of(System.getProperty("contrastive.fixtures"), "models", "bert_st");

  @Test
  void theEncoderSpeaksThroughTheirInterface() {
    try (SentenceEncoder encoder = SentenceEncoder.load(MODEL)) {
      EmbeddingModel model = new ContrastiveEmbeddingModel(encoder);
      assertEquals(32, model.dimensions());
      float[] dog = encoder.encode("A dog");
      assertArrayEquals(dog, model.embed("A dog"));
      assertArrayEquals(dog, model.embed(new Document("A dog")));
      assertArrayEquals(
          dog, model.embed(List.of("the cat sat on the mat.", "A dog")).get(1), 1e-6f);
      EmbeddingResponse cut =
          model.call(
              new EmbeddingRequest(
                  List.of("a", "b"), EmbeddingOptions.builder().dimensions(8).build()));
      assertEquals("bert_st", cut.getMetadata().getModel());
      assertEquals(6, cut.getMetadata().getUsage().getPromptTokens());
      assertEquals(1, cut.getResults().get(1).getIndex());
      assertEquals(8, cut.getResults().get(1).getOutput().length);
    }
  }
}
