package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.FloatBuffer;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class SearchTest {
  @Test
  void hitsAreThoseOfSortingEverything() {
    Random random = new Random(7);
    float[][] corpus = new float[300][16];
    for (float[] row : corpus) for (int j = 0; j < 16; j++) row[j] = (float) random.nextGaussian();
    float[][] queries = {corpus[17], corpus[205]};
    float[][] all = Similarity.matrix(queries, corpus, Metric.COSINE);
    Search.Hits[] hits = Search.nearest(queries, corpus, 10, Metric.COSINE);
    for (int q = 0; q < 2; q++) {
      float[] row = all[q];
      int[] order =
          IntStream.range(0, 300)
              .boxed()
              .sorted((a, b) -> Float.compare(row[b], row[a]))
              .mapToInt(i -> i)
              .limit(10)
              .toArray();
      assertArrayEquals(order, hits[q].indices());
      for (int i = 0; i < 10; i++) assertEquals(row[order[i]], hits[q].scores()[i]);
    }
    FloatBuffer direct = Vectors.allocate(300, 16);
    for (float[] row : corpus) direct.put(row);
    Search.Hits[] again =
        Search.nearest(
            Vectors.of(queries), Vectors.of(direct.flip(), 16), 10, Metric.COSINE, new Cancel());
    assertArrayEquals(hits[1].indices(), again[1].indices());
  }

  @Test
  void vectorsThatAreNotFiniteAreRefused() {
    float[][] corpus = {{1, 0}, {0, 1}, {1, 1}};
    for (Metric metric : Metric.values()) {
      for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
        float[][] damaged = {{1, 0}, {0, bad}, {1, 1}};
        fails(Kind.NUMERIC, "", () -> Search.nearest(damaged, corpus, 2, metric));
        fails(Kind.NUMERIC, "", () -> Search.nearest(corpus, damaged, 2, metric));
        fails(Kind.NUMERIC, "", () -> Search.nearest(corpus, damaged, 5, metric));
      }
    }
  }

  @Test
  void hitsAreComparedAndPrintedByContent() {
    Search.Hits hits = new Search.Hits(new int[] {4, 0}, new float[] {0.5f, -1});
    assertEquals("Hits[4=0.5, 0=-1.0]", hits.toString());
    assertEquals(hits, new Search.Hits(new int[] {4, 0}, new float[] {0.5f, -1}));
    assertNotEquals(hits, new Search.Hits(new int[] {4, 1}, new float[] {0.5f, -1}));
  }

  @Test
  void edges() {
    float[][] corpus = {{1, 0}, {1, 0}, {0, 1}};
    Search.Hits[] hits =
        Search.nearest(new float[][] {{2, 0}}, corpus, 1_000_000_000, Metric.COSINE);
    assertArrayEquals(new int[] {0, 1, 2}, hits[0].indices());
    assertEquals(3, hits[0].size());
    assertEquals(
        0, Search.nearest(new float[][] {{2, 0}}, new float[0][], 5, Metric.DOT)[0].size());
    assertEquals(0, Search.nearest(new float[0][], corpus, 5, Metric.DOT).length);
    fails(Kind.ARGUMENT, "k is 0", () -> Search.nearest(corpus, corpus, 0, Metric.DOT));
    fails(
        Kind.ARGUMENT,
        "dimension 3",
        () -> Search.nearest(new float[][] {{1, 2, 3}}, corpus, 1, Metric.DOT));
  }
}
