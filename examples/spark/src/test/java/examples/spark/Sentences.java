package examples.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What the tests embed, and the Spark that they do it on. */
final class Sentences {
  private static final String[] WORDS =
      ("the a man woman dog house street music river eats reads walks runs plays quickly slowly old"
           + " small green and but because under over near it is was she he they night morning"
           + " bread letter window 7 1984 . , ?")
          .split(" ");

  private Sentences() {}

  static SparkSession localSpark() {
    return SparkSession.builder()
        .master("local[2]")
        .appName("tests")
        .config("spark.ui.enabled", false)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", 4)
        // Where musl is installed beside glibc, snappy-java loads its library for musl and fails.
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate();
  }

  /** Texts of 0 to `words` words; the same at every call. */
  static List<String> some(int count, int words) {
    Random random = new Random(7);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> text = new ArrayList<>(Collections.nCopies(random.nextInt(words + 1), ""));
      text.replaceAll(nothing -> WORDS[random.nextInt(WORDS.length)]);
      texts.add(String.join(" ", text));
    }
    return texts;
  }

  /** A dataset of ids from 0 and texts, which may be null. */
  static Dataset<Row> dataset(SparkSession spark, List<String> texts) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) rows.add(RowFactory.create((long) i, texts.get(i)));
    return spark.createDataFrame(
        rows, new StructType().add("id", DataTypes.LongType).add("text", DataTypes.StringType));
  }

  /** Sorted by name: those that a reader of the folder takes for data. */
  static List<Path> parts(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) return List.of();
    try (var files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("part-"))
          .sorted()
          .toList();
    }
  }
}
