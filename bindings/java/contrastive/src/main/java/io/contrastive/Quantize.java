package io.contrastive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Quantizes embeddings to fewer bytes, in the same way as numpy and sentence-transformers. */
public final class Quantize {
  private static final int FLOAT16 = 1; // CS_PRECISION_*
  private static final int INT8 = 2;
  private static final int UBINARY = 3;

  private Quantize() {}

  /**
   * The range of each dimension over a sample, for {@link #int8}. Use the same calibration for a
   * corpus and for all vectors that are compared with it, and store it with them.
   *
   * @param starts the minimum of each dimension
   * @param steps 1/255 of the range of each dimension
   */
  public record Calibration(float[] starts, float[] steps) {
    /** Keeps the arrays themselves, without a copy. */
    public Calibration {
      ContrastiveException.required(starts, "starts");
      ContrastiveException.required(steps, "steps");
    }
  }

  /** Measures the ranges over a sample. A few hundred vectors are enough for good estimates. */
  public static Calibration calibrate(Vectors sample) {
    ContrastiveException.required(sample, "sample");
    float[][] rows = new float[2][sample.dimension()];
    Native.cs_quantize_calibrate(
        sample, sample.size(), sample.dimension(), rows, 2L * sample.dimension());
    return new Calibration(rows[0], rows[1]);
  }

  /**
   * Converts each value to IEEE half precision, rounded to nearest, ties to even. Returns the bits.
   */
  public static short[][] float16(Vectors vectors) {
    ContrastiveException.required(vectors, "vectors");
    ByteBuffer bytes =
        ByteBuffer.wrap(run(vectors, FLOAT16, null, 2 * vectors.dimension()))
            .order(ByteOrder.nativeOrder());
    short[][] rows = new short[vectors.size()][vectors.dimension()];
    for (short[] row : rows) {
      for (int j = 0; j < row.length; j++) row[j] = bytes.getShort();
    }
    return rows;
  }

  /** Converts each value to a byte. Values outside the calibrated range saturate. */
  public static byte[][] int8(Vectors vectors, Calibration calibration) {
    int dimension = ContrastiveException.required(vectors, "vectors").dimension();
    ContrastiveException.required(calibration, "calibration");
    if (calibration.starts.length != dimension || calibration.steps.length != dimension) {
      throw ContrastiveException.argument(
          "the calibration is for dimension "
              + calibration.starts.length
              + ", the vectors have "
              + dimension);
    }
    return rows(
        run(
            vectors,
            INT8,
            Vectors.of(new float[][] {calibration.starts, calibration.steps}),
            dimension),
        vectors.size());
  }

  /**
   * Converts each value to a bit, which is 1 if the value is above 0. The highest bit comes first.
   * Rows are padded with 0 to whole bytes.
   */
  public static byte[][] binary(Vectors vectors) {
    ContrastiveException.required(vectors, "vectors");
    return rows(run(vectors, UBINARY, null, (vectors.dimension() + 7) / 8), vectors.size());
  }

  private static byte[] run(Vectors vectors, int precision, Vectors ranges, int rowBytes) {
    byte[] output = new byte[Math.multiplyExact(vectors.size(), rowBytes)];
    Native.cs_quantize(
        vectors, vectors.size(), vectors.dimension(), precision, ranges, output, output.length);
    return output;
  }

  private static byte[][] rows(byte[] flat, int n) {
    byte[][] rows = new byte[n][];
    int width = n == 0 ? 0 : flat.length / n;
    for (int i = 0; i < n; i++) rows[i] = Arrays.copyOfRange(flat, i * width, (i + 1) * width);
    return rows;
  }
}
