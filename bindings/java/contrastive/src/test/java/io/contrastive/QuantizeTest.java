package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class QuantizeTest {
  private static final Vectors VECTORS =
      Vectors.of(new float[][] {{1, -2.5f, 0}, {-1, 0.5f, 65504}, {0.25f, 0, 1}});

  @Test
  void float16IsIeeeHalf() {
    assertArrayEquals(
        new short[][] {
          {0x3C00, (short) 0xC100, 0}, {(short) 0xBC00, 0x3800, 0x7BFF}, {0x3400, 0, 0x3C00}
        },
        Quantize.float16(VECTORS));
  }

  @Test
  void binaryIsTheSign() {
    assertArrayEquals(
        new byte[][] {{(byte) 0b1000_0000}, {0b0110_0000}, {(byte) 0b1010_0000}},
        Quantize.binary(VECTORS));
  }

  @Test
  void int8SpansTheCalibratedRange() {
    Quantize.Calibration calibration =
        Quantize.calibrate(Vectors.of(new float[][] {{-1, 0}, {254, 510}}));
    assertArrayEquals(new float[] {-1, 0}, calibration.starts());
    assertArrayEquals(new float[] {1, 2}, calibration.steps());
    byte[][] rows =
        Quantize.int8(
            Vectors.of(new float[][] {{-1, 0}, {254, 510}, {-9, 600}, {127, 254}}), calibration);
    assertArrayEquals(new byte[][] {{-128, -128}, {127, 127}, {-128, 127}, {0, -1}}, rows);
    fails(Kind.ARGUMENT, "dimension 2", () -> Quantize.int8(VECTORS, calibration));
    fails(Kind.NUMERIC, "", () -> Quantize.calibrate(Vectors.of(new float[] {Float.NaN, 1}, 2)));
  }
}
