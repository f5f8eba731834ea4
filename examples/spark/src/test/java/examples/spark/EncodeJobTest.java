package examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.Library;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncodeJobTest {
  private static final EncodeSettings TINY = EncodeSettings.of(Models.tiny().toString());
  private static final int PARTS = 6;
  private static SparkSession spark;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark = Sentences.localSpark();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private EncodeJob.Summary run(Dataset<Row> input, EncodeSettings settings, int parts)
      throws IOException {
    return new EncodeJob(spark, settings, "id", "text", parts).run(input, folder.toString());
  }

  private List<Row> written() {
    return spark.read().parquet(folder.toString()).collectAsList();
  }

  @Test
  void theFilesHoldTheContract() throws IOException {
    List<String> texts = new ArrayList<>(Sentences.some(1000, 30));
    texts.set(5, null);
    texts.set(600, null);
    Dataset<Row> input = Sentences.dataset(spark, texts);
    Dataset<Row> twice =
        input
            .union(input.filter("id in (9, 10)"))
            .union(input.filter("id = 11").selectExpr("cast(null as bigint)", "text"))
            .union(
                input
                    .filter("id = 12")
                    .selectExpr("id", "cast(null as string)")); // the row with the text counts
    EncodeJob.Summary summary = run(twice, TINY, PARTS);
    assertEquals(new EncodeJob.Summary(PARTS, PARTS, 998, 6), summary);
    SameVectors.assertSame(Models.tiny(), texts, written());
    assertEquals(
        "id bigint,text_hash string,embedding array<float>,n_tokens int,truncated boolean"
            .replace(",", " "),
        spark.read().parquet(folder.toString()).schema().toDDL().toLowerCase().replace(",", " "));
    long rows = 0;
    for (Path file : Sentences.parts(folder)) {
      PartFile part =
          PartFile.verified(new org.apache.hadoop.fs.Path(file.toUri()), new Configuration());
      rows += part.rows();
      Map<String, String> metadata = part.metadata();
      assertEquals("1", metadata.get("contrastive.contract"));
      assertEquals(Library.version(), metadata.get("contrastive.library_version"));
      assertTrue(
          metadata.get("contrastive.model_fingerprint").matches("[0-9a-f]{64}"),
          metadata.toString());
      assertEquals("32", metadata.get("contrastive.dimension"));
      assertEquals("float32", metadata.get("contrastive.precision"));
      assertEquals("mean", metadata.get("contrastive.pooling"));
      assertEquals("1004", metadata.get("contrastive.input_rows"));
      for (String key : List.of("normalized", "prompt", "max_length", "input_hash"))
        assertTrue(metadata.containsKey("contrastive." + key), key);
    }
    assertEquals(998, rows);
    List<String> rejected = new ArrayList<>();
    try (var files = Files.list(folder)) {
      for (Path file :
          files.filter(file -> file.getFileName().toString().startsWith("_rejected-")).toList())
        rejected.addAll(Files.readAllLines(file));
    }
    assertEquals(6, rejected.size());
    assertEquals(
        3,
        rejected.stream().filter(line -> line.contains("\"error\":\"the text is null\"")).count(),
        rejected.toString());
    assertEquals(
        2, rejected.stream().filter(line -> line.contains("same id")).count(), rejected.toString());
    assertEquals(
        1,
        rejected.stream().filter(line -> line.contains("\"id\":null")).count(),
        rejected.toString());
    assertTrue(Files.exists(folder.resolve("_SUCCESS")));
  }

  @Test
  void aSecondRunWritesWhatIsMissing() throws IOException {
    List<String> texts = Sentences.some(2000, 20);
    Dataset<Row> input = Sentences.dataset(spark, texts);
    run(input, TINY, PARTS);
    List<Path> parts = Sentences.parts(folder);
    assertEquals(PARTS, parts.size());
    List<Object> files = new ArrayList<>();
    for (Path part : parts) files.add(identity(part));

    Files.delete(parts.get(0));
    byte[] whole = Files.readAllBytes(parts.get(1));
    Files.write(parts.get(1), java.util.Arrays.copyOf(whole, whole.length / 2));
    byte[] damaged = Files.readAllBytes(parts.get(2));
    damaged[damaged.length / 2] ^= 1;
    Files.write(parts.get(2), damaged);
    Files.write(folder.resolve(".part-00004-of-00006.parquet.of-a-killed-task"), new byte[100]);

    assertEquals(new EncodeJob.Summary(PARTS, 3, 2000, 0), run(input, TINY, PARTS));
    SameVectors.assertSame(Models.tiny(), texts, written());
    for (int i = 0; i < PARTS; i++) {
      if (i < 3) assertNotEquals(files.get(i), identity(parts.get(i)));
      else assertEquals(files.get(i), identity(parts.get(i)), parts.get(i) + " was written again");
    }
    try (var left = Files.list(folder)) {
      assertFalse(
          left.anyMatch(file -> file.getFileName().toString().startsWith(".")),
          "something was left behind");
    }
    assertEquals(
        new EncodeJob.Summary(PARTS, 0, 2000, 0),
        run(input.repartition(9), TINY, PARTS)); // in any order of the rows
  }

  private static Object identity(Path file) throws IOException {
    return List.of(
        Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey(),
        Files.getLastModifiedTime(file));
  }

  @Test
  void aFolderOfAnotherJobIsRefused() throws IOException {
    Dataset<Row> input = Sentences.dataset(spark, Sentences.some(50, 10));
    run(input, TINY, 2);
    refused("part-00000-of-00002.parquet", () -> run(input, TINY, 3));
    refused(
        "contrastive.prompt is ",
        () -> run(input, new EncodeSettings(TINY.model(), TINY.config(), "query: ", 0, 0), 2));
    refused(
        "contrastive.dimension is 32",
        () -> run(input, new EncodeSettings(TINY.model(), TINY.config(), null, 0, 16), 2));
    refused(
        "contrastive.input_hash is ",
        () -> run(Sentences.dataset(spark, Sentences.some(51, 10)), TINY, 2));
  }

  private static void refused(String why, org.junit.jupiter.api.function.Executable job) {
    Exception e = assertThrows(IllegalStateException.class, job);
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }
}
