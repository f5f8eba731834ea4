package io.contrastive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Vectors of one dimension, seen in an array or a buffer of the caller: nothing is copied until the library reads them, and a direct buffer not even
 * then.
 */
public final class Vectors {
  final Object memory;  // float[], float[][], or a direct FloatBuffer that begins where the vectors do
  private final int size;
  private final int dimension;

  private Vectors(Object memory, int size, int dimension) {
    this.memory = memory;
    this.size = size;
    this.dimension = dimension;
  }

  /** The rows of an array, all of one length. */
  public static Vectors of(float[][] rows) {
    if (rows.length == 0) {
      throw ContrastiveException.argument("there are no vectors, so their dimension is not known: use of(new float[0], dimension)");
    }
    int dimension = ContrastiveException.required(rows[0], "rows[0]").length;
    for (int i = 0; i < rows.length; i++) {
      if (ContrastiveException.required(rows[i], "a row").length != dimension) {
        throw ContrastiveException.argument("row " + i + " has " + rows[i].length + " floats, row 0 has " + dimension);
      }
    }
    return new Vectors(rows, rows.length, dimension);
  }

  /** Vectors one after the other in an array. */
  public static Vectors of(float[] flat, int dimension) {
    return new Vectors(ContrastiveException.required(flat, "flat"), rows(flat.length, dimension), dimension);
  }

  /** Vectors one after the other from the position of a direct buffer in native order to its limit. */
  public static Vectors of(FloatBuffer buffer, int dimension) {
    return new Vectors(direct(buffer), rows(buffer.remaining(), dimension), dimension);
  }

  /** A direct buffer for vectors, in native order: what the library reads and writes without a copy. */
  public static FloatBuffer allocate(int size, int dimension) {
    int bytes = Math.toIntExact((long) size * dimension * Float.BYTES);
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /** How many vectors there are. */
  public int size() {
    return size;
  }

  /** Floats of one vector. */
  public int dimension() {
    return dimension;
  }

  /** The buffer from its position on, checked to be one that the library can use in place. */
  static FloatBuffer direct(FloatBuffer buffer) {
    if (!ContrastiveException.required(buffer, "the buffer").isDirect() || buffer.order() != ByteOrder.nativeOrder()) {
      throw ContrastiveException.argument("the buffer is not a direct one in native byte order: make it with Vectors.allocate, or pass an array");
    }
    return buffer.position() == 0 ? buffer : buffer.slice();
  }

  /** A buffer to be written, which must not be read-only as well. */
  static FloatBuffer writable(FloatBuffer buffer) {
    FloatBuffer direct = direct(buffer);
    if (buffer.isReadOnly()) throw ContrastiveException.argument("the buffer is read-only");
    return direct;
  }

  private static int rows(int floats, int dimension) {
    if (dimension < 1) throw ContrastiveException.argument("the dimension is " + dimension + ": it must be 1 or more");
    if (floats % dimension != 0) throw ContrastiveException.argument(floats + " floats are no whole vectors of dimension " + dimension);
    return floats / dimension;
  }
}
