package io.contrastive;

import java.nio.FloatBuffer;
import java.nio.file.Path;

/** Reads and writes vectors as NumPy files ({@code .npy}), which {@code numpy.load} reads. */
public final class Npy {
  private Npy() {}

  /**
   * The shape of the array in a file.
   *
   * @param rows the number of vectors
   * @param dimension the number of floats of a vector
   */
  public record Shape(int rows, int dimension) {}

  /** Writes vectors. The file is replaced atomically. */
  public static void save(Path file, float[][] vectors) {
    save(file, Vectors.of(ContrastiveException.required(vectors, "vectors")));
  }

  /** Writes vectors of an array or buffer. The file is replaced atomically. */
  public static void save(Path file, Vectors vectors) {
    ContrastiveException.required(file, "file");
    ContrastiveException.required(vectors, "vectors");
    Native.cs_npy_save(file.toString(), vectors, vectors.size(), vectors.dimension());
  }

  /** Reads the shape of a file. */
  public static Shape shape(Path file) {
    ContrastiveException.required(file, "file");
    long[] rows = new long[1], dimension = new long[1];
    Native.cs_npy_load(file.toString(), null, 0, rows, dimension);
    if (rows[0] > Integer.MAX_VALUE || dimension[0] > Integer.MAX_VALUE) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.LIMIT,
          file + " has " + rows[0] + " rows of " + dimension[0] + ": Java's arrays hold fewer",
          null);
    }
    return new Shape((int) rows[0], (int) dimension[0]);
  }

  /** Reads a file: a matrix of float32, as {@link #save} and numpy.save() write it. */
  public static float[][] load(Path file) {
    Shape shape = shape(file);
    float[][] vectors = new float[shape.rows][shape.dimension];
    if (vectors.length > 0) read(file, vectors, (long) shape.rows * shape.dimension);
    return vectors;
  }

  /**
   * Reads a file into a direct buffer in native byte order ({@link Vectors#allocate}), from its
   * position, which does not change. If the buffer is too small, this throws BUFFER.
   */
  public static void load(Path file, FloatBuffer out) {
    ContrastiveException.required(file, "file");
    FloatBuffer memory = Vectors.writable(ContrastiveException.required(out, "out"));
    read(file, memory, memory.capacity());
  }

  private static void read(Path file, Object out, long capacity) {
    Native.cs_npy_load(file.toString(), out, capacity, new long[1], new long[1]);
  }
}
