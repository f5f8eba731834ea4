package io.contrastive.lucene;

import io.contrastive.EncodeOptions;
import io.contrastive.SentenceEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;

/**
 * A vector field of a Lucene index with embeddings of texts, and queries on it. Everything else is
 * standard Lucene.
 *
 * <pre>{@code
 * EmbeddingField meaning = new EmbeddingField("meaning", encoder);
 * document.add(meaning.of("A man is eating food."));
 * TopDocs hits = searcher.search(meaning.query("Someone has a meal.", 10), 10);
 * }</pre>
 *
 * <p>Vectors are compared by their cosine. Lucene's default codec takes vectors of at most 1,024
 * dimensions. An index contains the vectors of the encoder that built it. After training, build it
 * again.
 */
public final class EmbeddingField {
  private final String name;
  private final SentenceEncoder encoder;
  private final EncodeOptions documents;
  private final EncodeOptions queries;

  /** Creates a field that embeds documents and queries with the same options. */
  public EmbeddingField(String name, SentenceEncoder encoder) {
    this(name, encoder, EncodeOptions.defaults(), EncodeOptions.defaults());
  }

  /**
   * Creates a field with different options for documents and queries, such as the prompts of an
   * asymmetric model.
   */
  public EmbeddingField(
      String name, SentenceEncoder encoder, EncodeOptions documents, EncodeOptions queries) {
    this.name = Objects.requireNonNull(name, "name");
    this.encoder = Objects.requireNonNull(encoder, "encoder");
    this.documents = Objects.requireNonNull(documents, "documents");
    this.queries = Objects.requireNonNull(queries, "queries");
  }

  /** The field of one document. {@link #of(List)} embeds many documents much faster. */
  public KnnFloatVectorField of(String text) {
    return of(List.of(text)).get(0);
  }

  /** The fields of many documents, in the same order. */
  public List<KnnFloatVectorField> of(List<String> texts) {
    List<KnnFloatVectorField> fields = new ArrayList<>(texts.size());
    for (float[] vector : encoder.encode(texts, documents))
      fields.add(new KnnFloatVectorField(name, vector, VectorSimilarityFunction.COSINE));
    return fields;
  }

  /** A query for the k documents nearest to a text. */
  public Query query(String text, int k) {
    return query(text, k, null);
  }

  /** A query for the k nearest documents among those that match a filter; nullable. */
  public Query query(String text, int k, Query filter) {
    return new KnnFloatVectorQuery(name, encoder.encode(List.of(text), queries)[0], k, filter);
  }
}
