package io.contrastive;

/**
 * The tokens of a text, special tokens included.
 *
 * @param ids the token ids, equal to those of Hugging Face {@code tokenizers}
 * @param begins the index in the text of each token's first char; -1 for special tokens
 * @param ends the index after each token's last char; -1 for special tokens. Token i covers {@code
 *     text.substring(begins[i], ends[i])}. If a token of a byte-level vocabulary covers only some
 *     bytes of a character, its range is the whole character
 */
public record Tokens(int[] ids, int[] begins, int[] ends) {
  /** The number of tokens. */
  public int size() {
    return ids.length;
  }

  /** Converts the library's byte offsets to char indices. */
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
