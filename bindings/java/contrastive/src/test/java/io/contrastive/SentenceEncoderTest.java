package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class SentenceEncoderTest {
  private static final List<String> TEXTS =
      List.of(
          "the cat sat on the mat.",
          "A dog",
          "Two birds fly over the old house; the café is closed!",
          "");

  @TempDir Path folder;

  @Test
  void objectsPrintWhatTheyAre() throws Exception {
    SentenceEncoder encoder = Fixtures.encoder();
    assertEquals("bert_st", encoder.name());
    assertTrue(encoder.memory() > 4 * encoder.info().parameters() / 2, "" + encoder.memory());
    String length = ", at most " + encoder.maxLength() + " tokens]";
    assertEquals("SentenceEncoder[bert_st, dimension 32" + length, encoder.toString());
    try (SentenceEncoder copy = encoder.snapshot()) {
      assertEquals(encoder.toString(), copy.toString());
    }
    encoder.close();
    assertEquals("SentenceEncoder[closed]", encoder.toString());
    Dataset data = Fixtures.pairs();
    assertEquals("Dataset[8 examples]", data.toString());
    data.close();
    assertEquals("Dataset[closed]", data.toString());
    try (Reranker reranker = Reranker.load(Fixtures.RERANKERS.resolve("bert"))) {
      assertTrue(reranker.toString().startsWith("Reranker["), reranker.toString());
      assertTrue(reranker.memory() > 0);
    }
    assertEquals("EncodeOptions[]", EncodeOptions.defaults().toString());
    assertEquals(
        "EncodeOptions[normalize=false, pooling=cls, maxLength=9, cancel=Cancel[not triggered]]",
        EncodeOptions.defaults()
            .withNormalize(false)
            .withPooling("cls")
            .withMaxLength(9)
            .withCancel(new Cancel())
            .toString());
    assertEquals(
        "RerankOptions[activation=identity]",
        RerankOptions.defaults().withActivation("identity").toString());
  }

  @Test
  @SuppressWarnings("unchecked")
  void embeddingsAreThoseOfSentenceTransformers() throws IOException {
    Map<String, Object> golden = Fixtures.golden("bert_st");
    assertEquals(TEXTS, golden.get("texts"));
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      float[][] vectors = encoder.encode(TEXTS);
      compare((List<List<Double>>) golden.get("sentence_transformers"), vectors);
      Map<String, List<List<Double>>> poolings =
          (Map<String, List<List<Double>>>) golden.get("embeddings");
      for (String pooling : List.of("cls", "max", "mean-sqrt", "last2")) {
        compare(
            poolings.get(pooling),
            encoder.encode(
                TEXTS, EncodeOptions.defaults().withPooling(pooling).withNormalize(false)));
      }
    }
  }

  private static void compare(List<List<Double>> expected, float[][] vectors) {
    assertEquals(expected.size(), vectors.length);
    for (int i = 0; i < vectors.length; i++) {
      for (int j = 0; j < vectors[i].length; j++)
        assertEquals(
            expected.get(i).get(j), vectors[i][j], 2e-5 * Math.max(1, Math.abs(vectors[i][j])));
    }
  }

  @Test
  void everyFormOfOutputHoldsTheSame() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      int dimension = encoder.dimension();
      float[][] rows = encoder.encode(TEXTS);
      float[] flat = new float[TEXTS.size() * dimension];
      encoder.encode(TEXTS, EncodeOptions.defaults(), flat);
      FloatBuffer buffer =
          Vectors.allocate(TEXTS.size() + 1, dimension)
              .position(dimension); // not from its beginning
      encoder.encode(TEXTS, EncodeOptions.defaults(), buffer);
      assertEquals(dimension, buffer.position());
      for (int i = 0; i < rows.length; i++) {
        for (int j = 0; j < dimension; j++) {
          assertEquals(rows[i][j], flat[i * dimension + j]);
          assertEquals(rows[i][j], buffer.get((i + 1) * dimension + j));
        }
        assertEquals(0, buffer.get(i % dimension)); // what is before the position is not changed
        assertArrayEquals(rows[i], encoder.encode(TEXTS.get(i)), 1e-6f);
      }
    }
  }

  @Test
  void whatIsLargerThanNeededKeepsItsRest() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      float[] out = new float[5_000];
      int[] counts = new int[300];
      Arrays.fill(out, 7);
      Arrays.fill(counts, 7);
      encoder.encode(List.of("a", "A dog"), EncodeOptions.defaults().withTokenCounts(counts), out);
      assertEquals(encoder.encode("A dog")[31], out[63], 1e-6);
      assertArrayEquals(new int[] {4, 7}, Arrays.copyOfRange(counts, 1, 3));
      for (int i = 64; i < out.length; i++) assertEquals(7, out[i]);
      for (int i = 2; i < counts.length; i++) assertEquals(7, counts[i]);
    }
  }

  @Test
  void outputsThatDoNotFitAreRefused() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      EncodeOptions options = EncodeOptions.defaults();
      float[] small = new float[31];
      fails(Kind.BUFFER, "32", () -> encoder.encode(List.of("a"), options, small));
      assertArrayEquals(new float[31], small);
      fails(
          Kind.BUFFER, "32", () -> encoder.encode(List.of("a"), options, Vectors.allocate(1, 31)));
      fails(
          Kind.ARGUMENT,
          "direct",
          () -> encoder.encode(List.of("a"), options, FloatBuffer.allocate(32)));
      fails(
          Kind.ARGUMENT,
          "native",
          () ->
              encoder.encode(
                  List.of("a"), options, ByteBuffer.allocateDirect(128).asFloatBuffer()));
      fails(
          Kind.ARGUMENT,
          "read-only",
          () -> encoder.encode(List.of("a"), options, Vectors.allocate(1, 32).asReadOnlyBuffer()));
      fails(
          Kind.BUFFER,
          "tokenCounts",
          () -> encoder.encode(TEXTS, options.withTokenCounts(new int[3])));
    }
  }

  @Test
  void optionsReachTheLibrary() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      int[] counts = new int[2];
      String text = "the cat sat on the mat. ";
      float[][] cut =
          encoder.encode(
              List.of("A dog", text.repeat(9)), EncodeOptions.defaults().withTokenCounts(counts));
      assertEquals(4, counts[0]);
      assertTrue(counts[1] > encoder.maxLength(), "the long text was cut before counting");
      assertEquals(
          8, encoder.encode(List.of("a"), EncodeOptions.defaults().withTruncateDim(8))[0].length);
      assertEquals(8, encoder.dimension(EncodeOptions.defaults().withTruncateDim(8)));
      assertArrayEquals(
          cut[1],
          encoder.encode(List.of(text.repeat(9)), EncodeOptions.defaults().withBatchTokens(1))[0],
          1e-6f);
      assertArrayEquals(
          encoder.encode("query: a dog"),
          encoder.encode(List.of("a dog"), EncodeOptions.defaults().withPrompt("query: "))[0]);
      assertNotEquals(
          encoder.encode("a dog")[0],
          encoder.encode(List.of("a dog"), EncodeOptions.defaults().withMaxLength(3))[0][0]);
      fails(
          Kind.ARGUMENT,
          "no prompt",
          () -> encoder.encode(List.of("a"), EncodeOptions.defaults().withPromptName("no prompt")));
      fails(
          Kind.ARGUMENT,
          "means",
          () -> encoder.encode(List.of("a"), EncodeOptions.defaults().withPooling("means")));
      fails(
          Kind.ARGUMENT,
          "NUL",
          () -> encoder.encode(List.of("a"), EncodeOptions.defaults().withPooling("me\0an")));
    }
  }

  @Test
  void aLargeBatchIsTheSameAsSmallOnes() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      List<String> many = Collections.nCopies(500, TEXTS).stream().flatMap(List::stream).toList();
      float[][] all = encoder.encode(many);
      float[][] few = encoder.encode(TEXTS);
      for (int i = 0; i < all.length; i++) assertArrayEquals(few[i % 4], all[i], 1e-6f);
      assertEquals(0, encoder.encode(List.of()).length);
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void tokensAreThoseOfHuggingFaceWithPlacesInChars() throws IOException {
    List<List<Double>> ids = (List<List<Double>>) Fixtures.golden("bert_st").get("ids");
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      for (int i = 0; i < TEXTS.size(); i++) {
        assertArrayEquals(
            ids.get(i).stream().mapToInt(Double::intValue).toArray(),
            encoder.tokenize(TEXTS.get(i)).ids());
      }
      String text = "😀 the café cat";
      Tokens tokens = encoder.tokenize(text);
      assertEquals(-1, tokens.begins()[0]);
      assertEquals("😀", text.substring(tokens.begins()[1], tokens.ends()[1]));
      assertEquals("the", text.substring(tokens.begins()[2], tokens.ends()[2]));
      assertEquals(
          "cat",
          text.substring(tokens.begins()[tokens.size() - 2], tokens.ends()[tokens.size() - 2]));
      assertEquals("the", encoder.token(tokens.ids()[2]));
      assertEquals("", encoder.token(-1));
      assertEquals(3, encoder.tokenize(TEXTS.get(0), 3).size());
      assertTrue(
          encoder.tokenize("cat ".repeat(20_000), -1).size() == 20_002, "no limit was requested");
      assertArrayEquals(
          new int[] {2, 73, 84, 89, 77, 73, 88, 15, 3, 21, 85, 3},
          encoder.tokenizePair(TEXTS.get(0), TEXTS.get(1), 0).ids());
      assertArrayEquals(
          new int[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
          encoder.tokenizePair(TEXTS.get(0), TEXTS.get(1), 0).typeIds());
      fails(Kind.ARGUMENT, "max_length", () -> encoder.tokenize("a", 1));
    }
  }

  @Test
  void aByteLevelVocabularySpansWholeCharacters() {
    try (SentenceEncoder encoder =
        SentenceEncoder.load(Fixtures.MODELS.resolve("roberta_hf"), Config.of("pooling", "mean"))) {
      String text = "x😀y";
      Tokens tokens = encoder.tokenize(text);
      boolean seen = false;
      for (int i = 0; i < tokens.size(); i++) {
        if (tokens.begins()[i] < 0) continue;
        String part = text.substring(tokens.begins()[i], tokens.ends()[i]);
        assertTrue(
            part.codePoints().allMatch(Character::isValidCodePoint)
                && !Character.isLowSurrogate(part.charAt(0)),
            part);
        seen |= part.contains("😀");
      }
      assertTrue(seen);
    }
  }

  @Test
  void whatIsSavedLoadsAgain() {
    Path saved = folder.resolve("modèle 😀");
    float[] vector;
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      vector = encoder.encode("the cat");
      encoder.save(saved);
    }
    assertTrue(Files.exists(saved.resolve("modules.json")), "the folder has another name");
    try (SentenceEncoder encoder = SentenceEncoder.load(saved, Config.of("memory_map", true));
        SentenceEncoder copy = encoder.snapshot()) {
      assertArrayEquals(vector, encoder.encode("the cat"));
      encoder.close();
      assertArrayEquals(vector, copy.encode("the cat"));
      ModelInfo info = copy.info();
      assertEquals("bert", info.family());
      assertEquals(24, info.maxLength());
      assertEquals(copy.dimension(), info.dimension());
      assertEquals(List.of("mean"), info.pooling());
      assertEquals(Optional.empty(), info.defaultPromptName());
      assertEquals(64, info.fingerprint().length());
      assertTrue(info.parameters() > 0 && info.json().contains("\"vocab_size\""), info.toString());
      assertEquals(24, copy.maxLength());
    }
  }

  @Test
  void failuresSayWhatAndWhere() throws IOException {
    fails(Kind.NOT_FOUND, "nowhere", () -> SentenceEncoder.load(folder.resolve("nowhere")));
    Files.writeString(folder.resolve("config.json"), "{\"a\": ");
    fails(Kind.FORMAT, "config.json", () -> SentenceEncoder.load(folder));
    fails(
        Kind.ARGUMENT,
        "precision",
        () -> SentenceEncoder.load(folder, Config.of("precison", "float32")));
    fails(
        Kind.ARGUMENT,
        "pooling",
        () -> SentenceEncoder.load(Fixtures.MODELS.resolve("roberta_hf")));
    assertThrows(NullPointerException.class, () -> SentenceEncoder.load(null));
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      NullPointerException missing =
          assertThrows(NullPointerException.class, () -> encoder.encode(Arrays.asList("a", null)));
      assertEquals("texts[1] is null", missing.getMessage());
      assertThrows(NullPointerException.class, () -> encoder.encode((String) null));
      Files.writeString(folder.resolve("file"), "");
      fails(Kind.IO, "file", () -> encoder.save(folder.resolve("file").resolve("model")));
    }
  }
}
