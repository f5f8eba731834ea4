package io.contrastive;

/**
 * The tokens of a text, special ones included.
 *
 * @param ids equal to those of Hugging Face {@code tokenizers}
 * @param begins index in the text of each token's first char; -1 for special tokens
 * @param ends index past each token's last char, so {@code text.substring(begins[i], ends[i])} is
 *     what token i stands for; -1 for special tokens. A token of a byte-level vocabulary that is a
 *     part of a character spans the whole of it.
 */
public record Tokens(int[] ids, int[] begins, int[] ends) {
  /** How many there are. */
  public int size() {
    return ids.length;
  }

  /** From places in bytes, which the library counts in, to places in chars. */
  static Tokens of(String text, byte[] utf8, int[] ids, int[] begins, int[] ends) {
    int[] index = Utf8.charOfByte(text, utf8);
    for (int i = 0; i < ids.length; i++) {
      if (begins[i] < 0) continue;
      int end = ends[i];
      while (end < utf8.length && (utf8[end] & 0xC0) == 0x80) end++; // to the end of the character
      begins[i] = index[begins[i]];
      ends[i] = index[end];
    }
    return new Tokens(ids, begins, ends);
  }
}
