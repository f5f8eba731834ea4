package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/**
 * Arrays and buffers that change after they were checked. The calls must not read or write outside
 * of them: the process would crash.
 */
@ExtendWith(LeakCheck.class)
class VectorsTest {
  private static final int ROWS = 2_000;
  private static final int DIMENSION = 64;

  private static float[][] rows(int n) {
    float[][] rows = new float[n][DIMENSION];
    for (float[] row : rows) Arrays.fill(row, 1);
    return rows;
  }

  /** Makes every call that reads vectors, on the same vectors. */
  private static void readEverywhere(Vectors vectors, Consumer<Executable> expect) {
    Vectors other = Vectors.of(rows(2));
    Quantize.Calibration calibration =
        new Quantize.Calibration(new float[DIMENSION], new float[DIMENSION]);
    expect.accept(() -> Similarity.matrix(vectors, other, Metric.DOT));
    expect.accept(() -> Similarity.matrix(other, vectors, Metric.DOT));
    expect.accept(() -> Search.nearest(vectors, other, 1, Metric.DOT, null));
    expect.accept(() -> Search.nearest(other, vectors, 1, Metric.DOT, null));
    expect.accept(() -> Quantize.calibrate(vectors));
    expect.accept(() -> Quantize.float16(vectors));
    expect.accept(() -> Quantize.int8(vectors, calibration));
    expect.accept(() -> Quantize.binary(vectors));
  }

  @Test
  void aRowThatBecomesNullIsNamedNotRead() {
    float[][] rows = rows(ROWS);
    Vectors vectors = Vectors.of(rows);
    rows[1_999] = null;
    readEverywhere(
        vectors,
        call ->
            assertEquals(
                "rows[1999] is null", assertThrows(NullPointerException.class, call).getMessage()));
  }

  @Test
  void aRowThatBecomesShorterOrLongerIsNamedNotRead() {
    for (int length : new int[] {0, 1, DIMENSION - 1, DIMENSION + 1, 1_000_000}) {
      float[][] rows = rows(ROWS);
      Vectors vectors = Vectors.of(rows);
      rows[7] = new float[length];
      readEverywhere(
          vectors,
          call -> fails(Kind.ARGUMENT, "row 7 has " + length + " floats and had 64", call));
    }
  }

  @Test
  void rowsThatAnotherThreadChangesDuringTheCallsAreReadOrRefused() throws Exception {
    float[][] rows = rows(ROWS);
    float[] row = rows[0];
    boolean[] stop = new boolean[1];
    Thread changer =
        new Thread(
            () -> {
              float[][] others = {
                null, new float[0], new float[DIMENSION - 1], new float[100_000], row, row, row, row
              };
              for (int i = 0; ; i++) {
                rows[i % ROWS] = others[i % others.length];
                if (i % 64 != 0) continue;
                Arrays.fill(rows, row);
                synchronized (stop) {
                  if (stop[0]) return;
                }
              }
            });
    changer.start();
    int[] counts = new int[2];
    for (long end = System.nanoTime() + 1_500_000_000L;
        System.nanoTime() < end || counts[0] == 0 || counts[1] == 0; ) {
      try {
        float[][] scores =
            Similarity.matrix(Vectors.of(rows), Vectors.of(new float[][] {row}), Metric.DOT);
        for (float[] score : scores) assertEquals(DIMENSION, score[0]);
        counts[0]++;
      } catch (NullPointerException | ContrastiveException e) {
        assertTrue(e.getMessage().contains("row"), e.getMessage());
        counts[1]++;
      }
    }
    synchronized (stop) {
      stop[0] = true;
    }
    changer.join();
    System.out.printf("rows that change during calls: %d read, %d refused%n", counts[0], counts[1]);
  }

  @Test
  void whatIsDoneToABufferAfterwardsDoesNotConcernItsVectors() {
    FloatBuffer buffer = Vectors.allocate(8, DIMENSION);
    for (int i = 0; i < buffer.capacity(); i++) buffer.put(i, 1);
    buffer.position(DIMENSION).limit(3 * DIMENSION);
    Vectors vectors = Vectors.of(buffer, DIMENSION);
    buffer.clear();
    assertEquals(2, vectors.size());
    assertEquals(DIMENSION, Similarity.matrix(vectors, vectors, Metric.DOT)[1][1]);
    buffer.position(0).limit(0);
    assertEquals(DIMENSION, Similarity.matrix(vectors, vectors, Metric.DOT)[1][1]);
  }

  @Test
  void aBufferThatAnotherThreadMovesNeverReachesBeyondItsMemory() throws Exception {
    FloatBuffer buffer = Vectors.allocate(ROWS, DIMENSION);
    boolean[] stop = new boolean[1];
    Thread changer =
        new Thread(
            () -> {
              for (int i = 0; ; i++) {
                buffer.limit(ROWS * DIMENSION).position(i % 2 == 0 ? 0 : (ROWS - 1) * DIMENSION);
                if (i % 3 == 0) buffer.position(0).limit(DIMENSION);
                synchronized (stop) {
                  if (stop[0]) return;
                }
              }
            });
    changer.start();
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      for (int i = 0; i < 20_000; i++) {
        try {
          Vectors vectors = Vectors.of(buffer, DIMENSION);
          if (vectors.size() == 0) continue;
          FloatBuffer memory = (FloatBuffer) vectors.memory;
          assertEquals(vectors.size() * DIMENSION, memory.capacity());
          if (i % 20 == 0)
            Similarity.matrix(
                vectors, vectors.size() == 1 ? vectors : Vectors.of(rows(1)), Metric.DOT);
          if (i % 20 == 1) encoder.encode(List.of("a"), EncodeOptions.defaults(), buffer);
        } catch (ContrastiveException | IllegalArgumentException e) {
          if (e instanceof ContrastiveException failure)
            assertTrue(
                failure.kind() == Kind.ARGUMENT || failure.kind() == Kind.BUFFER, e.toString());
        }
      }
    }
    synchronized (stop) {
      stop[0] = true;
    }
    changer.join();
  }

  @Test
  void memoryThatWasGivenBackIsRefused() throws Exception {
    if (Runtime.version().feature() < 22) {
      System.out.println(
          "freed memory: not tested, because java.lang.foreign begins with Java 22"
              + " (test.sh runs this on Java 25 too)");
      return;
    }
    Class<?> type = Class.forName("java.lang.foreign.Arena");
    for (String kind : new String[] {"ofShared", "ofConfined"}) {
      Object arena = type.getMethod(kind).invoke(null);
      Object segment =
          type.getMethod("allocate", long.class, long.class).invoke(arena, 64L << 20, 64L);
      Buffer bytes =
          (Buffer)
              Class.forName("java.lang.foreign.MemorySegment")
                  .getMethod("asByteBuffer")
                  .invoke(segment);
      FloatBuffer buffer = ((ByteBuffer) bytes).order(ByteOrder.nativeOrder()).asFloatBuffer();
      Vectors vectors = Vectors.of(buffer, DIMENSION);
      assertEquals(0, Similarity.matrix(vectors, Vectors.of(rows(1)), Metric.DOT)[1][0]);
      type.getMethod("close").invoke(arena);
      readEverywhere(vectors, call -> assertThrows(IllegalStateException.class, call));
      try (SentenceEncoder encoder = Fixtures.encoder()) {
        assertThrows(
            IllegalStateException.class,
            () -> encoder.encode(List.of("a"), EncodeOptions.defaults(), buffer));
      }
    }
  }
}
