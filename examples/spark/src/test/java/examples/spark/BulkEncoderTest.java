package examples.spark;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.SentenceEncoder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BulkEncoderTest {
  private static final EncodeSettings TINY = EncodeSettings.of(Models.tiny().toString());
  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark = Sentences.localSpark();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static List<Row> encoded(Dataset<Row> texts, EncodeSettings settings) {
    return texts.transform(BulkEncoder.with(settings)::encode).collectAsList();
  }

  @Test
  void rowsAreThoseOfOneProcess() {
    List<String> texts = new ArrayList<>(Sentences.some(3000, 60));
    for (int i = 0; i < texts.size(); i += 100) texts.set(i, null);
    List<Row> rows = encoded(Sentences.dataset(spark, texts).repartition(7), TINY);
    assertEquals(
        List.of("id", "text_hash", "embedding", "n_tokens", "truncated", "error"),
        List.of(rows.get(0).schema().fieldNames()));
    SameVectors.assertSame(
        Models.tiny(), texts, rows.stream().filter(row -> row.isNullAt(5)).toList());
    int cut = 0;
    try (SentenceEncoder encoder = SentenceEncoder.load(Models.tiny())) {
      for (Row row : rows) {
        String text = texts.get((int) row.getLong(0));
        if (text == null) {
          assertEquals("the text is null", row.getString(5));
          assertTrue(IntStream.range(1, 5).allMatch(row::isNullAt), row.toString());
          continue;
        }
        assertEquals(encoder.tokenize(text, -1).size(), row.getInt(3));
        assertEquals(row.getInt(3) > encoder.maxLength(), row.getBoolean(4));
        if (row.getBoolean(4)) cut++;
      }
    }
    assertTrue(cut > 100 && cut < 2900, cut + " texts were cut");
    assertEquals(
        "ba7816bf8f01cfea414140de5dae2223",
        encoded(Sentences.dataset(spark, List.of("abc")), TINY).get(0).getString(1)); // FIPS 180-4
  }

  @Test
  void aTextThatTheModelRefusesIsARowWithAnError() {
    Dataset<Row> texts =
        Sentences.dataset(spark, Sentences.some(300, 12))
            .selectExpr("id", "if(id = 77, cast(unhex('61ff62') as string), text) as text")
            .coalesce(1);
    List<Row> strict = encoded(texts, TINY.with("invalid_utf8", "error"));
    assertEquals(
        List.of(77L),
        strict.stream().filter(row -> !row.isNullAt(5)).map(row -> row.getLong(0)).toList());
    assertEquals("the text is not UTF-8", strict.get(77).getString(5));
    assertNull(encoded(texts, TINY).get(77).getString(5)); // as U+FFFD
  }

  /** Spark hands over no such text, another source of rows may. */
  @Test
  void oneTextThatTheLibraryRefusesCostsNoOther() {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++)
      rows.add(RowFactory.create((long) i, i % 40 == 7 ? "a\ud800" : "a man eats", "", true));
    List<EncodedText> encoded = new ArrayList<>();
    new EncodedTexts(TINY.with("invalid_utf8", "error"), rows.iterator())
        .forEachRemaining(encoded::add);
    assertEquals(100, encoded.size());
    for (int i = 0; i < 100; i++) {
      assertEquals((long) i, encoded.get(i).id());
      assertEquals(i % 40 == 7, encoded.get(i).error() != null);
      assertEquals(i % 40 == 7, encoded.get(i).embedding() == null);
    }
  }

  @Test
  void aPartitionIsReadOneWindowAhead() {
    AtomicInteger read = new AtomicInteger();
    Iterator<Row> endless =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Row next() {
            return RowFactory.create((long) read.getAndIncrement(), "a man eats bread", "", true);
          }
        };
    EncodedTexts encoded = new EncodedTexts(TINY, endless);
    for (int i = 0; i < 3 * EncodedTexts.WINDOW_TEXTS; i++) {
      assertEquals((long) i, encoded.next().id());
      assertTrue(
          read.get() <= i + EncodedTexts.WINDOW_TEXTS,
          read.get() + " rows were read for " + (i + 1));
    }
  }

  @Test
  void tasksShareOneModel() {
    encoded(Sentences.dataset(spark, Sentences.some(40, 12)).repartition(20), TINY);
    int loaded = ExecutorModel.loaded();
    encoded(
        Sentences.dataset(spark, Sentences.some(400, 12)).repartition(20),
        EncodeSettings.of(Models.tiny().toString()));
    assertEquals(loaded, ExecutorModel.loaded());
    assertEquals(loaded, io.contrastive.Library.liveHandles());
  }

  @Test
  void whatIsWrongWithTheJobFailsTheJob() {
    Dataset<Row> texts = Sentences.dataset(spark, List.of("a", "b"));
    Exception missing =
        assertThrows(Exception.class, () -> encoded(texts, EncodeSettings.of("/nowhere")));
    assertTrue(missing.getMessage().contains("/nowhere"), missing.getMessage());
    Exception width =
        assertThrows(
            Exception.class,
            () ->
                encoded(
                    texts, new EncodeSettings(TINY.model(), TINY.config(), null, 0, 1_000_000)));
    assertTrue(width.getMessage().contains("truncate_dim"), width.getMessage());
    Exception type =
        assertThrows(
            IllegalArgumentException.class,
            () -> BulkEncoder.with(TINY).columns("id", "id").encode(texts));
    assertTrue(type.getMessage().contains("column id is BIGINT"), type.getMessage());
    assertFalse(encoded(texts.select(col("id").cast("string"), col("text")), TINY).isEmpty());
  }
}
