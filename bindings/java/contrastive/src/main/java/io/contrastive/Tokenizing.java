package io.contrastive;

import java.util.Arrays;

/**
 * Calls cs_tokenize with arrays that are large enough. The first guess nearly always suffices;
 * otherwise the call is repeated once.
 */
final class Tokenizing {
  private Tokenizing() {}

  static Tokens tokens(long model, String text, int maxLength) {
    byte[] utf8 = Utf8.encode(text);
    int[] count = new int[1];
    int capacity = guess(utf8.length, maxLength);
    for (; ; ) {
      int[] ids = new int[capacity];
      int[] begins = new int[capacity];
      int[] ends = new int[capacity];
      try {
        Native.cs_tokenize(model, utf8, maxLength, ids, begins, ends, capacity, count);
        return Tokens.of(
            text,
            utf8,
            Arrays.copyOf(ids, count[0]),
            Arrays.copyOf(begins, count[0]),
            Arrays.copyOf(ends, count[0]));
      } catch (ContrastiveException e) {
        if (e.kind() != ContrastiveException.Kind.BUFFER) throw e;
        Native.cs_tokenize(model, utf8, maxLength, null, null, null, 0, count); // only counts
        capacity = count[0];
      }
    }
  }

  static TokenPair pair(long model, String a, String b, int maxLength) {
    byte[] utf8A = Utf8.encode(a);
    byte[] utf8B = Utf8.encode(b);
    int[] count = new int[1];
    int capacity = guess((long) utf8A.length + utf8B.length, maxLength);
    for (; ; ) {
      int[] ids = new int[capacity];
      int[] types = new int[capacity];
      try {
        Native.cs_tokenize_pair(model, utf8A, utf8B, maxLength, ids, types, capacity, count);
        return new TokenPair(Arrays.copyOf(ids, count[0]), Arrays.copyOf(types, count[0]));
      } catch (ContrastiveException e) {
        if (e.kind() != ContrastiveException.Kind.BUFFER) throw e;
        Native.cs_tokenize_pair(model, utf8A, utf8B, maxLength, null, null, 0, count);
        capacity = count[0];
      }
    }
  }

  // A token has at least one byte, and there are few special tokens. The guess is capped for long
  // texts, because most tokens have several bytes.
  private static int guess(long bytes, int maxLength) {
    long most = bytes + 8;
    if (maxLength > 0) most = Math.min(most, maxLength);
    return (int) Math.min(most, 4096);
  }
}
