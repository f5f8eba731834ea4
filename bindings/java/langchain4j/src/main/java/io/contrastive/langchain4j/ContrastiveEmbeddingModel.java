package io.contrastive.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import io.contrastive.EncodeOptions;
import io.contrastive.SentenceEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Wraps a sentence encoder as an {@link EmbeddingModel} of LangChain4j. You own the encoder: close
 * it when you no longer use the model.
 *
 * <p>If a model has different prompts for queries and documents, create one object for each, with
 * its own options.
 */
public final class ContrastiveEmbeddingModel implements EmbeddingModel {
  private final SentenceEncoder encoder;
  private final EncodeOptions options;
  private final String modelName;

  /** Embeds with the model's default options. */
  public ContrastiveEmbeddingModel(SentenceEncoder encoder) {
    this(encoder, EncodeOptions.defaults());
  }

  /** Embeds with options, such as a prompt. */
  public ContrastiveEmbeddingModel(SentenceEncoder encoder, EncodeOptions options) {
    this(encoder, options, encoder.name().isEmpty() ? "contrastive" : encoder.name());
  }

  /** Embeds with options, and reports this name of the model, by default that of its folder. */
  public ContrastiveEmbeddingModel(
      SentenceEncoder encoder, EncodeOptions options, String modelName) {
    this.encoder = Objects.requireNonNull(encoder, "encoder");
    this.options = Objects.requireNonNull(options, "options");
    this.modelName = Objects.requireNonNull(modelName, "modelName");
  }

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    int[] tokens = new int[segments.size()];
    float[][] vectors =
        encoder.encode(
            segments.stream().map(TextSegment::text).toList(), options.withTokenCounts(tokens));
    return Response.from(
        Arrays.stream(vectors).map(Embedding::from).toList(),
        new TokenUsage(Arrays.stream(tokens).sum()));
  }

  @Override
  public String modelName() {
    return modelName;
  }

  @Override
  public int dimension() {
    return encoder.dimension(options);
  }
}
