package io.contrastive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * A view of your array or buffer as vectors of one dimension. An array is copied only when the
 * library reads it; a direct buffer is never copied. If the floats change before a call, the call
 * uses the changed values. If a row has become null or changed its length, the call fails. If a
 * buffer's memory can be released, such as that of an Arena, do not release it during a call.
 */
public final class Vectors {
  final Object
      memory; // float[], float[][], or a direct FloatBuffer that begins where the vectors do. The
              // three fields are read by jni/glue.cpp
  private final int size;
  private final int dimension;

  private Vectors(Object memory, int size, int dimension) {
    this.memory = memory;
    this.size = size;
    this.dimension = dimension;
  }

  /** A view of the rows of an array, which must have the same length. */
  public static Vectors of(float[][] rows) {
    if (ContrastiveException.required(rows, "rows").length == 0) {
      throw ContrastiveException.argument(
          "there are no vectors, so their dimension is not known: use of(new float[0], dimension)");
    }
    int dimension = ContrastiveException.required(rows[0], "rows[0]").length;
    for (int i = 0; i < rows.length; i++) {
      float[] row = rows[i];
      if (row == null) throw new NullPointerException("rows[" + i + "] is null");
      if (row.length != dimension) {
        throw ContrastiveException.argument(
            "row " + i + " has " + row.length + " floats, row 0 has " + dimension);
      }
    }
    return new Vectors(rows, rows.length, dimension);
  }

  /** A view of consecutive vectors in an array. */
  public static Vectors of(float[] flat, int dimension) {
    return new Vectors(
        ContrastiveException.required(flat, "flat"), rows(flat.length, dimension), dimension);
  }

  /**
   * A view of consecutive vectors in a direct buffer in native byte order, from its position to its
   * limit.
   */
  public static Vectors of(FloatBuffer buffer, int dimension) {
    FloatBuffer memory = direct(buffer);
    return new Vectors(memory, rows(memory.capacity(), dimension), dimension);
  }

  /**
   * Allocates a direct buffer for vectors, in native byte order. The library reads and writes it
   * without a copy.
   */
  public static FloatBuffer allocate(int size, int dimension) {
    int bytes = Math.toIntExact((long) size * dimension * Float.BYTES);
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /** The number of vectors. */
  public int size() {
    return size;
  }

  /** The number of floats in a vector. */
  public int dimension() {
    return dimension;
  }

  /**
   * Returns a view of the buffer from its position to its limit, and checks that the library can
   * use it in place. The view is always new, so another thread cannot change its position and
   * limit.
   */
  static FloatBuffer direct(FloatBuffer buffer) {
    if (!ContrastiveException.required(buffer, "buffer").isDirect()
        || buffer.order() != ByteOrder.nativeOrder()) {
      throw ContrastiveException.argument(
          "the buffer is not a direct one in native byte order: make it with Vectors.allocate, or"
              + " pass an array");
    }
    return buffer.slice();
  }

  /**
   * Touches the memory of a buffer that the library is about to use, so that Java throws if it was
   * released, such as by closing its Arena.
   */
  static <T> T usable(T memory) {
    Object at = memory instanceof Vectors vectors ? vectors.memory : memory;
    if (at instanceof FloatBuffer buffer && buffer.capacity() > 0) buffer.get(0);
    return memory;
  }

  /** As direct(), and checks that the buffer is not read-only. */
  static FloatBuffer writable(FloatBuffer buffer) {
    FloatBuffer direct = direct(buffer);
    if (buffer.isReadOnly()) throw ContrastiveException.argument("the buffer is read-only");
    return direct;
  }

  private static int rows(int floats, int dimension) {
    if (dimension < 1)
      throw ContrastiveException.argument(
          "the dimension is " + dimension + ": it must be 1 or more");
    if (floats % dimension != 0)
      throw ContrastiveException.argument(
          floats + " floats are not whole vectors of dimension " + dimension);
    return floats / dimension;
  }
}
