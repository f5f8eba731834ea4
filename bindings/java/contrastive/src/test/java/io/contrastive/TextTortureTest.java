package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Texts that are likely to break bindings: emoji, NUL, unpaired surrogates, very long ones. */
@ExtendWith(LeakCheck.class)
class TextTortureTest {
  private static SentenceEncoder byteLevel() {
    return SentenceEncoder.load(
        Fixtures.MODELS.resolve("roberta_hf"), Config.of("pooling", "mean"));
  }

  private static int[] ids(SentenceEncoder encoder, String text) {
    return encoder.tokenize(text, -1).ids();
  }

  @Test
  void surrogatesWithoutTheirOtherHalfReadAsTheReplacementCharacter() {
    try (SentenceEncoder encoder = byteLevel()) {
      for (String[] torn :
          new String[][] {
            {"a\uD83D", "a\uFFFD"},
            {"\uDE00b", "\uFFFDb"},
            {"\uDE00\uD83D", "\uFFFD\uFFFD"},
            {"a\uD83D\uD83D\uDE00b", "a\uFFFD😀b"},
            {"\uD83D", "\uFFFD"}
          }) {
        assertArrayEquals(ids(encoder, torn[1]), ids(encoder, torn[0]));
        assertArrayEquals(encoder.encode(torn[1]), encoder.encode(torn[0]));
        int[] questionMarks = ids(encoder, torn[0].replaceAll("[\uD800-\uDFFF]", "?"));
        assertFalse(
            Arrays.equals(ids(encoder, torn[1]), questionMarks),
            "it is replaced by a question mark");
      }
    }
  }

  @Test
  void aStrictModelRefusesThem() {
    try (SentenceEncoder strict =
            SentenceEncoder.load(
                Fixtures.MODELS.resolve("bert_st"), Config.of("invalid_utf8", "error"));
        SentenceEncoder encoder = Fixtures.encoder()) {
      assertArrayEquals(encoder.encode("the 😀 \uFFFD"), strict.encode("the 😀 \uFFFD"));
      fails(
          Kind.FORMAT,
          "texts[0] is not valid UTF-8 at byte 4",
          () -> strict.encode("the \uD83Dcat"));
      fails(Kind.FORMAT, "texts[1]", () -> strict.encode(List.of("a", "\uDE00")));
      fails(Kind.FORMAT, "byte 0", () -> strict.tokenize("\uDE00\uD83D"));
      fails(Kind.ARGUMENT, "surrogate without its other half", () -> Config.of("x-\uD83D", 1));
    }
  }

  @Test
  void emojiAndNulAreOrdinaryCharacters() {
    try (SentenceEncoder encoder = byteLevel()) {
      // Modified UTF-8 would send the emoji as six bytes and NUL as two.
      assertEquals(1 + "😀".getBytes(StandardCharsets.UTF_8).length + 1, ids(encoder, "😀").length);
      assertEquals(ids(encoder, "ab").length + 1, ids(encoder, "a\0b").length);
      assertFalse(
          Arrays.equals(encoder.encode("a"), encoder.encode("a\0b")), "the text ends at its NUL");
      assertArrayEquals(encoder.encode("a\0b"), encoder.encode(List.of("x", "a\0b", ""))[1], 1e-6f);
      String family = "👩\u200D👩\u200D👧 café Ünïcödé \u202Eabc 𝔘𝔫𝔦";
      Tokens tokens = encoder.tokenize(family, -1);
      assertEquals(family.length(), tokens.ends()[tokens.size() - 2]);
    }
  }

  @Test
  void emptyBlankAndHuge() {
    try (SentenceEncoder encoder = byteLevel()) {
      assertEquals(2, ids(encoder, "").length);
      assertEquals(encoder.dimension(), encoder.encode("").length);
      assertEquals(encoder.dimension(), encoder.encode(" \t\n\u00A0").length);
      String huge = "the cat sat on the mat 😀 ".repeat(400_000); // 11 MB of UTF-8
      assertTrue(huge.getBytes(StandardCharsets.UTF_8).length > 10_000_000);
      int[] counts = new int[2];
      float[][] vectors =
          encoder.encode(List.of(huge, "a"), EncodeOptions.defaults().withTokenCounts(counts));
      assertTrue(counts[0] > 1_000_000, "tokens before truncation: " + counts[0]);
      assertArrayEquals(encoder.encode(huge.substring(0, 1000)), vectors[0], 1e-6f);
    }
  }

  @Test
  void goldenFormsOfText() {
    assertArrayEquals(new byte[] {'a', 0, (byte) 0xFF}, Utf8.encode("a\0\uD800"));
    assertArrayEquals(
        new int[] {0, 1, 2, 2, 2, 2, 4}, Utf8.charOfByte("a\uD83D😀", Utf8.encode("a\uD83D😀")));
    assertArrayEquals("añ漢😀".getBytes(StandardCharsets.UTF_8), Utf8.encode("añ漢😀"));
    assertArrayEquals(
        new int[] {0, 1, 1, 2, 2, 2, 2, 4}, Utf8.charOfByte("añ😀", Utf8.encode("añ😀")));
  }
}
