package io.contrastive;

import java.util.Arrays;
import java.util.List;

/**
 * Texts in the form that the C API takes: their UTF-8 in one array, and the offset of each text.
 */
final class Packed {
  final byte[] data; // may be longer than the texts
  final int[] offsets; // one more than there are texts; null if the array is one text
  final long rows; // what the call counts: texts or examples

  private Packed(byte[] data, int[] offsets, long rows) {
    this.data = data;
    this.offsets = offsets;
    this.rows = rows;
  }

  static Packed of(String text) {
    byte[] bytes = Utf8.encode(text);
    return new Packed(bytes, null, 1);
  }

  static Packed of(List<String> texts) {
    String[] now = snapshot(texts);
    if (now.length == 1 && now[0] != null) return of(now[0]);
    return new Builder(now.length).addAll(now).build(now.length);
  }

  /** Copies the list, because another thread may change it, and its size, during the call. */
  private static String[] snapshot(List<String> texts) {
    return ContrastiveException.required(texts, "texts").toArray(new String[0]).clone();
  }

  /** Packs a known number of texts. */
  static final class Builder {
    private byte[] data;
    private final int[] offsets;
    private int count;

    Builder(int texts) {
      data = new byte[(int) Math.min(texts * 64L, 1 << 20)];
      offsets = new int[texts + 1];
    }

    Builder addAll(String[] texts) {
      for (String text : texts) add(text);
      return this;
    }

    Builder addAll(List<String> texts) {
      for (String text : texts) add(text);
      return this;
    }

    void add(String text) {
      if (text == null) throw new NullPointerException("texts[" + count + "] is null");
      byte[] bytes = Utf8.encode(text);
      int begin = offsets[count];
      long end = (long) begin + bytes.length;
      if (end > data.length) grow(end);
      System.arraycopy(bytes, 0, data, begin, bytes.length);
      offsets[++count] = (int) end;
    }

    private void grow(long needed) {
      long most = Integer.MAX_VALUE - 8; // the maximum length of an array
      if (needed > most) {
        throw ContrastiveException.of(
            ContrastiveException.Kind.LIMIT,
            "the texts of one call have more than " + most + " bytes: use several",
            null);
      }
      data = Arrays.copyOf(data, (int) Math.min(most, Math.max(needed, data.length * 2L)));
    }

    Packed build(long rows) {
      return new Packed(data, offsets, rows);
    }
  }
}
