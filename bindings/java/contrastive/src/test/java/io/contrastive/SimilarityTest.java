package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;

class SimilarityTest {
  private static final float[][] A = {{3, 4}, {1, 0}};
  private static final float[][] B = {{4, 3}, {0, 0}, {-1, 2}};

  @Test
  void scoresAreThoseOfTheDefinition() {
    assertArrayEquals(
        new float[] {0.96f, 0, 1 / (float) Math.sqrt(5)},
        Similarity.matrix(A, B, Metric.COSINE)[0],
        1e-6f);
    assertArrayEquals(new float[] {24, 0, 5}, Similarity.matrix(A, B, Metric.DOT)[0]);
    assertArrayEquals(
        new float[] {(float) -Math.sqrt(2), -5, (float) -Math.sqrt(20)},
        Similarity.matrix(A, B, Metric.EUCLIDEAN)[0],
        1e-6f);
    assertArrayEquals(new float[] {-6, -1, -4}, Similarity.matrix(A, B, Metric.MANHATTAN)[1]);
    assertEquals(0.96f, Similarity.cosine(A[0], B[0]), 1e-6f);
    assertEquals(0, Similarity.cosine(A[0], B[1]));
    assertEquals(24, Similarity.score(A[0], B[0], Metric.DOT));
    assertEquals(2, Similarity.matrix(A, new float[0][], Metric.DOT).length);
  }

  @Test
  void everyKindOfVectorsGivesTheSame() {
    Vectors flat = Vectors.of(new float[] {3, 4, 1, 0}, 2);
    FloatBuffer buffer =
        Vectors.allocate(4, 2).put(new float[] {9, 9, 4, 3, 0, 0, -1, 2}).position(2);
    FloatBuffer out = Vectors.allocate(1, 6);
    Similarity.matrix(flat, Vectors.of(buffer, 2), Metric.DOT, out);
    float[] scores = new float[6];
    out.get(scores);
    assertArrayEquals(new float[] {24, 0, 5, 4, 0, -1}, scores);
    assertArrayEquals(
        Similarity.matrix(A, B, Metric.DOT),
        Similarity.matrix(flat, Vectors.of(buffer, 2), Metric.DOT));
    assertEquals(3, Vectors.of(buffer, 2).size());
  }

  @Test
  void whatDoesNotFitIsRefused() {
    fails(
        Kind.ARGUMENT,
        "dimension 2",
        () -> Similarity.matrix(A, new float[][] {{1, 2, 3}}, Metric.DOT));
    fails(
        Kind.ARGUMENT,
        "row 1 has 1",
        () -> Similarity.matrix(A, new float[][] {{1, 2}, {3}}, Metric.DOT));
    fails(Kind.ARGUMENT, "dimension", () -> Similarity.cosine(new float[] {1}, new float[0]));
    fails(Kind.ARGUMENT, "not whole vectors", () -> Vectors.of(new float[5], 2));
    fails(Kind.ARGUMENT, "no vectors", () -> Vectors.of(new float[0][]));
    fails(
        Kind.BUFFER,
        "6",
        () -> Similarity.matrix(Vectors.of(A), Vectors.of(B), Metric.DOT, Vectors.allocate(1, 5)));
  }
}
