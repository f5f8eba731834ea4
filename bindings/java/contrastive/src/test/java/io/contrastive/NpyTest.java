package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Vectors as NumPy files. C++ tests the format; this tests the calls. */
class NpyTest {
  private static final float[][] ROWS = {{1, -2.5f, 3}, {4, 5, 6e-30f}};

  @TempDir Path folder;

  @Test
  void whatIsSavedIsLoaded() throws IOException {
    Path file = folder.resolve("vectors.npy");
    Npy.save(file, ROWS);
    assertEquals(new Npy.Shape(2, 3), Npy.shape(file));
    float[][] loaded = Npy.load(file);
    assertEquals(2, loaded.length);
    for (int i = 0; i < 2; i++) assertArrayEquals(ROWS[i], loaded[i]);
    byte[] bytes = Files.readAllBytes(file);
    assertEquals("NUMPY", new String(bytes, 1, 5, StandardCharsets.ISO_8859_1));
    FloatBuffer end =
        ByteBuffer.wrap(bytes, bytes.length - 24, 24)
            .order(ByteOrder.LITTLE_ENDIAN)
            .asFloatBuffer();
    assertEquals(-2.5f, end.get(1));
    FloatBuffer direct = Vectors.allocate(2, 3);
    Npy.load(file, direct);
    assertEquals(6e-30f, direct.get(5));
    Npy.save(file, Vectors.of(direct, 2));
    assertEquals(new Npy.Shape(3, 2), Npy.shape(file));
  }

  @Test
  void mistakesAreTold() throws IOException {
    Path file = folder.resolve("vectors.npy");
    fails(Kind.NOT_FOUND, "vectors.npy", () -> Npy.load(file));
    Files.writeString(file, "no array");
    fails(Kind.FORMAT, "vectors.npy", () -> Npy.load(file));
    Npy.save(file, ROWS);
    fails(Kind.BUFFER, "", () -> Npy.load(file, Vectors.allocate(1, 3)));
  }
}
