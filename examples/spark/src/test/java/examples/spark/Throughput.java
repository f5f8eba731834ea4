package examples.spark;

import static org.apache.spark.sql.functions.monotonically_increasing_id;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/**
 * PROGRAM MODEL TEXTS.txt COUNT ROUNDS WORK: a Spark job and one process in turn, on the same texts
 * and cores (bench.sh).
 */
public final class Throughput {
  private Throughput() {}

  /** Called by spark-submit. */
  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[5]);
    int count = Integer.parseInt(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    int cores = Runtime.getRuntime().availableProcessors();
    Path lines = work.resolve("texts.txt");
    try (var file = Files.lines(Path.of(arguments[2]))) {
      Files.write(
          lines, (Iterable<String>) file.filter(line -> !line.isBlank()).limit(count)::iterator);
    }
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      Path parquet = work.resolve("texts.parquet");
      spark
          .read()
          .text(lines.toString())
          .withColumnRenamed("value", "text")
          .withColumn("id", monotonically_increasing_id())
          .write()
          .parquet(parquet.toString());
      EncodeJob job =
          new EncodeJob(spark, EncodeSettings.of(arguments[1]), "id", "text", 4 * cores);
      List<Double> ratios = new ArrayList<>();
      System.out.printf(
          "| round | one process, s | its CPU, s | Spark, s | its CPU, s | Spark's throughput, of"
              + " one process |%n");
      System.out.printf("| --- | --- | --- | --- | --- | --- |%n");
      for (int round = 0; round <= rounds; round++) {
        double[] before = cpu();
        double alone =
            process(
                List.of(
                    arguments[0],
                    "encode",
                    "--model",
                    arguments[1],
                    "--input",
                    lines.toString(),
                    "--output",
                    work.resolve(round + ".npy").toString(),
                    "--threads",
                    String.valueOf(cores),
                    "--quiet"));
        long begin = System.nanoTime();
        EncodeJob.Summary summary =
            job.run(
                spark.read().parquet(parquet.toString()), work.resolve("out-" + round).toString());
        double spread = (System.nanoTime() - begin) / 1e9;
        double[] after = cpu();
        if (summary.rows() + summary.rejected() == 0 || summary.rejected() > 0)
          throw new IllegalStateException(summary.toString());
        if (round == 0) continue; // both have read the model and the texts once
        ratios.add(alone / spread);
        System.out.printf(
            Locale.ROOT,
            "| %d | %.2f | %.2f | %.2f | %.2f | %.3f |%n",
            round,
            alone,
            after[1] - before[1],
            spread,
            after[0] - before[0],
            alone / spread);
      }
      Collections.sort(ratios);
      System.out.printf(
          Locale.ROOT,
          "%d texts, %d cores, median of %d rounds: %.3f of one process's throughput%n",
          count,
          cores,
          rounds,
          ratios.get(ratios.size() / 2));
    }
  }

  /**
   * Seconds of processor that this process has used, and those that its ended children have: on a
   * busy machine they tell more than the clock.
   */
  private static double[] cpu() throws Exception {
    String line = Files.readString(Path.of("/proc/self/stat"));
    String[] fields =
        line.substring(line.lastIndexOf(')') + 2)
            .split(" "); // from field 3 of proc(5) on, in hundredths of a second
    return new double[] {
      (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0,
      (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / 100.0
    };
  }

  private static double process(List<String> command) throws Exception {
    long begin = System.nanoTime();
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) throw new IllegalStateException(command + " ended with " + status);
    return (System.nanoTime() - begin) / 1e9;
  }
}
