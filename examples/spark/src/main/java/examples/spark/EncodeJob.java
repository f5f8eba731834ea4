package examples.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.xxhash64;

import java.io.IOException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;

/**
 * Embeds texts from Parquet to Parquet, in parts that are each written once. To resume a stopped
 * job, run it again with the same arguments: it verifies the existing parts, keeps them, and writes
 * the others.
 */
public final class EncodeJob {
  private static final int PART = 4; // index of the part's number, after the columns of SourceRows
  private static final long THERE = -1; // instead of the size of a part that exists already

  private final SparkSession spark;
  private final EncodeSettings settings;
  private final String id;
  private final String text;
  private final int parts;

  /**
   * @param parts how many files the output has. An id decides alone which of them its row is in
   */
  public EncodeJob(SparkSession spark, EncodeSettings settings, String id, String text, int parts) {
    if (parts < 1 || parts > 99_999)
      throw new IllegalArgumentException(parts + " parts: from 1 to 99999 are possible");
    this.spark = spark;
    this.settings = settings;
    this.id = id;
    this.text = text;
    this.parts = parts;
  }

  /** What a job did. @param written the parts that it wrote; the others were there */
  public record Summary(int parts, int written, long rows, long rejected) {
    @Override
    public String toString() {
      return rows
          + " rows embedded and "
          + rejected
          + " rejected in "
          + parts
          + " parts, of which "
          + (parts - written)
          + " were there and "
          + written
          + " were written";
    }
  }

  /** MODEL INPUT OUTPUT [--id COLUMN] [--text COLUMN] [--parts N] [--set KEY=VALUE]... */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3 || arguments.length % 2 == 0) {
      throw new IllegalArgumentException(
          "usage: EncodeJob MODEL INPUT OUTPUT [--id COLUMN] [--text COLUMN] [--parts N] [--set"
              + " KEY=VALUE]...");
    }
    EncodeSettings settings = EncodeSettings.of(arguments[0]);
    Map<String, String> options =
        new HashMap<>(Map.of("--id", "id", "--text", "text", "--parts", "64"));
    for (int i = 3; i < arguments.length; i += 2) {
      if (arguments[i].equals("--set")) {
        String[] pair = arguments[i + 1].split("=", 2);
        if (pair.length != 2)
          throw new IllegalArgumentException("--set " + arguments[i + 1] + ": KEY=VALUE is needed");
        settings = settings.with(pair[0], pair[1]);
      } else if (options.replace(arguments[i], arguments[i + 1]) == null) {
        throw new IllegalArgumentException("there is no option " + arguments[i]);
      }
    }
    try (SparkSession spark = SparkSession.builder().appName("bulk encoding").getOrCreate()) {
      EncodeJob job =
          new EncodeJob(
              spark,
              settings,
              options.get("--id"),
              options.get("--text"),
              Integer.parseInt(options.get("--parts")));
      long begin = System.nanoTime();
      Summary summary = job.run(spark.read().parquet(arguments[1]), arguments[2]);
      System.out.printf("%s, in %.2f s%n", summary, (System.nanoTime() - begin) / 1e9);
    }
  }

  /**
   * Encodes the rows of an input into a folder. The file system must rename atomically (HDFS, a
   * local or a network disk).
   *
   * @throws IllegalStateException the folder holds embeddings of another model, other options or
   *     another corpus, or the input changed meanwhile
   */
  public Summary run(Dataset<Row> input, String output) throws IOException {
    OutputFolder folder = new OutputFolder(output, spark.sparkContext().hadoopConfiguration());
    folder.checkDivision(parts);
    Dataset<Row> source =
        SourceRows.of(input, id, text)
            .withColumn(
                "part", pmod(xxhash64(col("id")), lit((long) parts)).cast(DataTypes.IntegerType));
    Map<String, String> metadata = metadataOfModel();
    long[] sizes = measure(source, metadata);
    Broadcast<SerializableConfiguration> configuration =
        context().broadcast(new SerializableConfiguration(folder.configuration));
    Map<Integer, PartFile> done = verify(folder, configuration);
    folder.checkAgreement(done, metadata, parts);
    done.entrySet()
        .removeIf(
            entry ->
                entry.getValue().rows() + entry.getValue().rejected() != sizes[entry.getKey()]);
    long[] missing = sizes.clone();
    for (int part : done.keySet()) missing[part] = THERE;
    int written = parts - done.size();
    if (written > 0) {
      folder.begin();
      done.putAll(
          write(
              source.filter(col("part").isin((Object[]) numbers(missing))),
              folder.path,
              metadata,
              missing,
              configuration));
    }
    return summary(done, sizes, written, folder);
  }

  /** What the model says of itself, asked on an executor: the driver needs no model. */
  private TreeMap<String, String> metadataOfModel() {
    return context()
        .parallelize(List.of(settings), 1)
        .map(model -> ExecutorModel.of(model).metadata())
        .first();
  }

  /** How many rows each part has; and into the metadata, what changes with the corpus. */
  private long[] measure(Dataset<Row> source, Map<String, String> metadata) {
    long[] sizes = new long[parts];
    BigDecimal total = BigDecimal.ZERO;
    Dataset<Row> counted =
        source
            .groupBy("part")
            .agg(count(lit(1)), sum(xxhash64(col("id"), col("text_hash")).cast("decimal(20,0)")));
    for (Row row : counted.collectAsList()) {
      sizes[row.getInt(0)] = row.getLong(1);
      total = total.add(row.getDecimal(2)); // a sum does not depend on the order of rows
    }
    long rows = 0;
    for (long size : sizes) rows += size;
    metadata.put(
        "contrastive.input_hash",
        String.format("xxhash64 %016x", total.toBigInteger().longValue()));
    metadata.put("contrastive.input_rows", String.valueOf(rows));
    return sizes;
  }

  private Map<Integer, PartFile> verify(
      OutputFolder folder, Broadcast<SerializableConfiguration> configuration) throws IOException {
    List<Integer> existing = folder.existing(parts);
    if (existing.isEmpty()) return new HashMap<>();
    String path = folder.path.toString();
    int of = parts;
    List<Tuple2<Integer, PartFile>> read =
        context()
            .parallelize(existing, existing.size())
            .map(
                part ->
                    new Tuple2<>(
                        part,
                        PartFile.verified(
                            new Path(path, PartFile.name(part, of)),
                            configuration.value().value())))
            .collect();
    Map<Integer, PartFile> intact = new HashMap<>();
    for (Tuple2<Integer, PartFile> file : read)
      if (file._2() != null) intact.put(file._1(), file._2());
    return intact;
  }

  private Map<Integer, PartFile> write(
      Dataset<Row> source,
      Path folder,
      Map<String, String> metadata,
      long[] missing,
      Broadcast<SerializableConfiguration> configuration) {
    boolean numbers = source.schema().apply("id").dataType().equals(DataTypes.LongType);
    Task task =
        new Task(
            settings, folder.toString(), new TreeMap<>(metadata), numbers, missing, configuration);
    Map<Integer, PartFile> written = new HashMap<>();
    // A partition is a part. It is sorted, so that every attempt has the same rows in the same
    // order.
    for (Tuple2<Integer, PartFile> part :
        source
            .repartitionById(parts, col("part"))
            .sortWithinPartitions("id", "text_hash")
            .toJavaRDD()
            .mapPartitions(task::run)
            .collect()) {
      written.put(part._1(), part._2());
    }
    return written;
  }

  /** What an executor does with a partition. */
  private record Task(
      EncodeSettings settings,
      String folder,
      TreeMap<String, String> metadata,
      boolean numbers,
      long[] missing,
      Broadcast<SerializableConfiguration> hadoop)
      implements Serializable {
    private static final long serialVersionUID = 1;

    Iterator<Tuple2<Integer, PartFile>> run(Iterator<Row> rows) throws IOException {
      int part = TaskContext.getPartitionId();
      if (missing[part] == THERE) return Collections.emptyIterator();
      Configuration configuration = hadoop.value().value();
      // An executor may have died after it wrote the part and before it reported that.
      PartFile file =
          PartFile.verified(new Path(folder, PartFile.name(part, missing.length)), configuration);
      boolean whole =
          file != null
              && file.disagreement(metadata) == null
              && file.rows() + file.rejected() == missing[part];
      if (!whole) file = write(part, rows, configuration);
      return List.of(new Tuple2<>(part, file)).iterator();
    }

    private PartFile write(int part, Iterator<Row> rows, Configuration configuration)
        throws IOException {
      Map<String, String> here = ExecutorModel.of(settings).metadata();
      for (Map.Entry<String, String> key : here.entrySet()) {
        if (!key.getValue().equals(metadata.get(key.getKey()))) {
          throw new IllegalStateException(
              settings.model()
                  + " is not the same on all machines: "
                  + key.getKey()
                  + " is "
                  + key.getValue()
                  + " on this one and "
                  + metadata.get(key.getKey())
                  + " on another");
        }
      }
      return new PartWriter(configuration, new Path(folder), metadata, numbers)
          .write(part, missing.length, new EncodedTexts(settings, checked(part, rows)));
    }

    private static Iterator<Row> checked(int part, Iterator<Row> rows) {
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public Row next() {
          Row row = rows.next();
          if (row.getInt(PART) != part)
            throw new IllegalStateException(
                "a row of part " + row.getInt(PART) + " came to part " + part);
          return row;
        }
      };
    }
  }

  private Summary summary(
      Map<Integer, PartFile> all, long[] sizes, int written, OutputFolder folder)
      throws IOException {
    long rows = 0;
    long rejected = 0;
    for (int part = 0; part < parts; part++) {
      PartFile file = all.get(part);
      if (file == null || file.rows() + file.rejected() != sizes[part]) {
        throw new IllegalStateException(
            "part "
                + part
                + " has other rows than were counted before: the input changed while the job ran,"
                + " so run it again");
      }
      rows += file.rows();
      rejected += file.rejected();
    }
    folder.finish();
    return new Summary(parts, written, rows, rejected);
  }

  private JavaSparkContext context() {
    return JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  private static Integer[] numbers(long[] missing) {
    return IntStream.range(0, missing.length)
        .filter(part -> missing[part] != THERE)
        .boxed()
        .toArray(Integer[]::new);
  }
}
