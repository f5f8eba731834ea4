package io.contrastive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Vectors of one dimension, seen in an array or a buffer of the caller: nothing is copied until the
 * library reads them, and a direct buffer not even then. Floats that change meanwhile count as they
 * are then; a row that is null or of another length then is an error of the call that reads it. A
 * buffer over memory that can be given back, such as that of an Arena, must not lose it during a
 * call.
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

  /** The rows of an array, all of one length. */
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

  /** Vectors one after the other in an array. */
  public static Vectors of(float[] flat, int dimension) {
    return new Vectors(
        ContrastiveException.required(flat, "flat"), rows(flat.length, dimension), dimension);
  }

  /**
   * Vectors one after the other from the position of a direct buffer in native order to its limit.
   */
  public static Vectors of(FloatBuffer buffer, int dimension) {
    FloatBuffer memory = direct(buffer);
    return new Vectors(memory, rows(memory.capacity(), dimension), dimension);
  }

  /**
   * A direct buffer for vectors, in native order: what the library reads and writes without a copy.
   */
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

  /**
   * A view of the buffer from its position to its limit, checked to be one that the library can use
   * in place. It is always a new one: what another thread does to the buffer's position and limit
   * afterwards does not concern it.
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
   * The memory of an array or buffer that the library is about to use, which is refused by Java
   * where it was given back: an Arena that is closed.
   */
  static <T> T usable(T memory) {
    Object at = memory instanceof Vectors vectors ? vectors.memory : memory;
    if (at instanceof FloatBuffer buffer && buffer.capacity() > 0) buffer.get(0);
    return memory;
  }

  /** A buffer to be written, which must not be read-only as well. */
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
          floats + " floats are no whole vectors of dimension " + dimension);
    return floats / dimension;
  }
}
