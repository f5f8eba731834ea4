package io.contrastive;

import java.nio.charset.StandardCharsets;

/** Text on its way to the library and back. JNI's own string functions speak modified UTF-8, which breaks emoji and NUL, so they are not used. */
final class Utf8 {
  private Utf8() {}

  /** The UTF-8 of a text. A surrogate without its other half becomes U+FFFD, as invalid bytes do in the library. */
  static byte[] encode(String text) {
    int lone = loneSurrogate(text, 0);
    if (lone < 0) return text.getBytes(StandardCharsets.UTF_8);
    StringBuilder mended = new StringBuilder(text);
    for (; lone >= 0; lone = loneSurrogate(text, lone + 1)) mended.setCharAt(lone, '\uFFFD');
    return mended.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Paths, keys and names, which end at their NUL in C: one inside would cut them silently. */
  static byte[] terminated(String text, String what) {
    if (text == null) return null;
    int nul = text.indexOf('\0');
    if (nul >= 0) throw ContrastiveException.argument(what + " holds a NUL character at index " + nul);
    return encode(text);
  }

  static String decode(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * For each byte of encode(text), and one past its end, the index of the char that it belongs to: where a token's bytes begin.
   * The bytes of one character all have the index of its first char.
   */
  static int[] charOfByte(String text, byte[] bytes) {
    int[] index = new int[bytes.length + 1];
    int at = 0;
    int next = 0;
    for (int i = 0; i < bytes.length; i++) {
      int lead = bytes[i] & 0xFF;
      if ((lead & 0xC0) != 0x80) {
        at = next;
        next = at + (lead >= 0xF0 ? 2 : 1);
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
      if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) i++;
      else return i;
    }
    return -1;
  }
}
