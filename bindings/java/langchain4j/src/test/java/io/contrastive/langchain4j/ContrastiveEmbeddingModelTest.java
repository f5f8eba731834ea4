package io.contrastive.langchain4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import io.contrastive.BuildInfo;
import io.contrastive.EncodeOptions;
import io.contrastive.SentenceEncoder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContrastiveEmbeddingModelTest {
  private static final Path MODEL =
      Path.of(System.getProperty("contrastive.fixtures"), "models", "bert_st");

  @Test
  void theEncoderSpeaksThroughTheirInterface() {
    try (SentenceEncoder encoder = SentenceEncoder.load(MODEL)) {
      EmbeddingModel model = new ContrastiveEmbeddingModel(encoder);
      assertEquals(32, model.dimension());
      assertEquals("bert_st", model.modelName());
      Response<List<Embedding>> response =
          model.embedAll(
              List.of(TextSegment.from("the cat sat on the mat."), TextSegment.from("A dog")));
      assertEquals(2, response.content().size());
      assertEquals(9 + 4, response.tokenUsage().inputTokenCount());
      assertArrayEquals(encoder.encode("A dog"), response.content().get(1).vector(), 1e-6f);
      assertArrayEquals(encoder.encode("A dog"), model.embed("A dog").content().vector());
      assertTrue(model.embedAll(List.of()).content().isEmpty());
      assertEquals(
          8,
          new ContrastiveEmbeddingModel(encoder, EncodeOptions.defaults().withTruncateDim(8))
              .embed("a")
              .content()
              .dimension());
      assertEquals(
          "v2", new ContrastiveEmbeddingModel(encoder, EncodeOptions.defaults(), "v2").modelName());
      assertTrue(
          BuildInfo.get().loaded().toString().contains("contrastive-"),
          "the natives come from their jar");
    }
  }
}
