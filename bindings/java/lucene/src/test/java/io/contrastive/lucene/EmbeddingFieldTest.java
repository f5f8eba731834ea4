package io.contrastive.lucene;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.contrastive.Metric;
import io.contrastive.Search;
import io.contrastive.SentenceEncoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingFieldTest {
  private static final Path MODEL =
      Path.of(System.getProperty("contrastive.fixtures"), "models", "bert_st");
  private static final List<String> TEXTS =
      List.of(
          "the cat sat on the mat.",
          "A dog",
          "two birds fly over the old house",
          "the café is closed!",
          "one man walks",
          "she eats fish",
          "red and blue",
          "a cat sits");

  @TempDir Path folder;

  /** Lucene's index, on the disk, finds what an exact search finds. */
  @Test
  void anIndexIsBuiltAndSearched() throws IOException {
    try (SentenceEncoder encoder = SentenceEncoder.load(MODEL);
        Directory directory = FSDirectory.open(folder)) {
      EmbeddingField meaning = new EmbeddingField("meaning", encoder);
      try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
        List<KnnFloatVectorField> vectors = meaning.of(TEXTS);
        for (int i = 0; i < TEXTS.size(); i++) {
          Document document = new Document();
          document.add(new StoredField("text", TEXTS.get(i)));
          document.add(new StringField("parity", i % 2 == 0 ? "even" : "odd", Field.Store.NO));
          document.add(vectors.get(i));
          writer.addDocument(document);
        }
      }
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        String question = "the old cat";
        Search.Hits exact =
            Search.nearest(
                new float[][] {encoder.encode(question)}, encoder.encode(TEXTS), 3, Metric.COSINE)[
                0];
        ScoreDoc[] found = searcher.search(meaning.query(question, 3), 3).scoreDocs;
        assertEquals(3, found.length);
        for (int i = 0; i < 3; i++) {
          assertEquals(
              TEXTS.get(exact.indices()[i]),
              searcher.storedFields().document(found[i].doc).get("text"));
          assertEquals(
              (1 + exact.scores()[i]) / 2, found[i].score, 1e-5); // Lucene's score of a cosine
        }
        ScoreDoc[] odd =
            searcher.search(meaning.query(question, 8, new TermQuery(new Term("parity", "odd"))), 8)
                .scoreDocs;
        assertEquals(4, odd.length);
      }
    }
  }

  /** What examples/stores says of Lucene: 1,024 dimensions and no more, and no NaN. */
  @Test
  void lucenesOwnLimits() throws IOException {
    try (Directory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      for (int dimension : new int[] {1024, 1025}) {
        float[] vector = new float[dimension];
        vector[0] = 1;
        Document document = new Document();
        document.add(
            new KnnFloatVectorField("of " + dimension, vector, VectorSimilarityFunction.COSINE));
        if (dimension == 1024) {
          writer.addDocument(document);
        } else {
          assertThrows(IllegalArgumentException.class, () -> writer.addDocument(document));
        }
      }
    }
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new KnnFloatVectorField(
                "meaning", new float[] {1, Float.NaN}, VectorSimilarityFunction.COSINE));
  }
}
