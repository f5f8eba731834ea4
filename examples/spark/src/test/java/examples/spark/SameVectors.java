package examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.SentenceEncoder;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.Row;

/** What came out of Spark, held against what one process makes of the same texts in one call. */
final class SameVectors {
  private static final float MOST = 1e-6f;

  private SameVectors() {}

  /**
   * @param rows of the output contract @param texts the text with the id i at place i; those that
   *     are null have no row
   */
  static void assertSame(Path model, List<String> texts, List<Row> rows) {
    Set<Long> ids = new HashSet<>();
    float worst = 0;
    try (SentenceEncoder encoder = SentenceEncoder.load(model)) {
      List<String> whole = texts.stream().filter(Objects::nonNull).toList();
      float[][] expected = encoder.encode(whole);
      int[] places = new int[texts.size()];
      for (int i = 0, at = 0; i < places.length; i++) places[i] = texts.get(i) == null ? -1 : at++;
      for (Row row : rows) {
        long id = row.getLong(0);
        assertTrue(ids.add(id), "the id " + id + " is there twice");
        float[] vector = expected[places[(int) id]];
        List<Float> embedding = row.getList(2);
        assertEquals(vector.length, embedding.size());
        for (int i = 0; i < vector.length; i++)
          worst = Math.max(worst, Math.abs(vector[i] - embedding.get(i)));
      }
      assertEquals(whole.size(), rows.size(), "rows");
    }
    assertTrue(worst <= MOST, "a number differs by " + worst);
    System.out.printf("%d rows, largest difference from one process %.1e%n", rows.size(), worst);
  }
}
