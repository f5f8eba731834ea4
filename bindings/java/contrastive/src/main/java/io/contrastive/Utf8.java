package io.contrastive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Converts strings to and from UTF-8 for the library. JNI's own string functions use modified
 * UTF-8, which breaks emoji and NUL, so they are not used.
 */
final class Utf8 {
  private Utf8() {}

  private static final int NO_UTF8 =
      0xFF; // the byte that replaces an unpaired surrogate

  /**
   * Encodes a text as UTF-8. An unpaired surrogate becomes a byte that is not valid UTF-8, so that
   * the model's key invalid_utf8 decides: U+FFFD, or an error.
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

  /**
   * Encodes paths, keys and names. A NUL is refused, because in C it would silently end the string.
   */
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
   * Maps each byte of encode(text), and the position after the last byte, to the index of its char.
   * All bytes of a character map to the index of its first char.
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
