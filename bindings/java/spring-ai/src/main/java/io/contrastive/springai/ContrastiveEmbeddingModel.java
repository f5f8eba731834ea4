package io.contrastive.springai;

import io.contrastive.EncodeOptions;
import io.contrastive.SentenceEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;

/**
 * Wraps a sentence encoder as an {@link EmbeddingModel} of Spring AI. You own the encoder: declare
 * it as a bean, and Spring closes it.
 *
 * <p>The option {@code dimensions} of a request keeps only the first dimensions of the embeddings.
 * A model name in a request is ignored.
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
  public EmbeddingResponse call(EmbeddingRequest request) {
    Integer dimensions = request.getOptions() == null ? null : request.getOptions().getDimensions();
    List<String> texts = request.getInstructions();
    int[] tokens = new int[texts.size()];
    EncodeOptions counting = options.withTokenCounts(tokens);
    float[][] vectors =
        encoder.encode(texts, dimensions == null ? counting : counting.withTruncateDim(dimensions));
    List<Embedding> embeddings = new ArrayList<>(vectors.length);
    for (int i = 0; i < vectors.length; i++) embeddings.add(new Embedding(vectors[i], i));
    DefaultUsage usage = new DefaultUsage(Arrays.stream(tokens).sum(), 0);
    return new EmbeddingResponse(embeddings, new EmbeddingResponseMetadata(modelName, usage));
  }

  @Override
  public float[] embed(Document document) {
    return encoder.encode(List.of(getEmbeddingContent(document)), options)[0];
  }

  @Override
  public int dimensions() {
    return encoder.dimension(options);
  }
}
