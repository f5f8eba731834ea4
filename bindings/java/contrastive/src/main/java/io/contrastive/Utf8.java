package io.contrastive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Text on its way to the library and back. JNI's own string functions speak modified UTF-8, which
 * breaks emoji and NUL, so they are not used.
 */
final class Utf8 {
  private Utf8() {}

  private static final int NO_UTF8 =
      0xFF; // the byte that stands for a surrogate without its other half

  /**
   * The UTF-8 of a text. A surrogate without its other half becomes a byte that is no UTF-8, so
   * that the model says what that is: U+FFFD, or an error (key invalid_utf8).
   */
  static byte[] encode(String text) {
    int lone = loneSurrogate(text, 0);
    if (lone < 0) return text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 16);
    int begin = 0;
    for (; lone >= 0; lone = loneSurrogate(text, begin)) {
      bytes.writeBytes(text.substring(begin, lone).getBytes(StandardCharsets.UTF_8));
      bytes.write(NO_UTF8);
      begin = lone + 1;
    }
    bytes.writeBytes(text.substring(begin).getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** Paths, keys and names, which end at their NUL in C: one inside would cut them silently. */
  static byte[] terminated(String text, String what) {
    if (text == null) return null;
    int nul = text.indexOf('\0');
    if (nul >= 0)
      throw ContrastiveException.argument(what + " holds a NUL character at index " + nul);
    int lone = loneSurrogate(text, 0);
    if (lone >= 0)
      throw ContrastiveException.argument(
          what + " holds a surrogate without its other half at index " + lone);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String decode(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * For each byte of encode(text), and one past its end, the index of the char that it belongs to:
   * where a token's bytes begin. The bytes of one character all have the index of its first char.
   */
  static int[] charOfByte(String text, byte[] bytes) {
    int[] index = new int[bytes.length + 1];
    int at = 0;
    int next = 0;
    for (int i = 0; i < bytes.length; i++) {
      int lead = bytes[i] & 0xFF;
      if ((lead & 0xC0) != 0x80) {
        at = next;
        next = at + (lead >= 0xF0 && lead != NO_UTF8 ? 2 : 1);
      }
      index[i] = at;
    }
    index[bytes.length] = text.length();
    return index;
  }

  private static int loneSurrogate(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) continue;
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) i++;
      else return i;
    }
    return -1;
  }
}
