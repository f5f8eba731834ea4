package examples.spark;

import io.contrastive.Config;
import io.contrastive.Dataset;
import io.contrastive.Library;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.JavaConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/**
 * Distributed training in a Spark barrier stage. Each task is a rank: it computes its share of
 * every batch and has the same weights as the others after every update. Spark starts all ranks at
 * once, and restarts all of them if one fails.
 */
public final class BarrierTraining {
  private BarrierTraining() {}

  /** MODEL PAIRS OUTPUT RANKS [KEY=VALUE]...: as {@link #train}, on a folder or file of Parquet. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 4)
      throw new IllegalArgumentException(
          "usage: BarrierTraining MODEL PAIRS OUTPUT RANKS [KEY=VALUE]...");
    TreeMap<String, String> config = new TreeMap<>();
    for (String argument : List.of(arguments).subList(4, arguments.length)) {
      String[] pair = argument.split("=", 2);
      if (pair.length != 2) throw new IllegalArgumentException(argument + ": KEY=VALUE is needed");
      config.put(pair[0], pair[1]);
    }
    try (SparkSession spark = SparkSession.builder().appName("training").getOrCreate()) {
      double loss =
          train(
              spark,
              spark.read().parquet(arguments[1]),
              arguments[0],
              config,
              Integer.parseInt(arguments[3]),
              arguments[2]);
      System.out.printf("trained by %s ranks, the last loss is %s%n", arguments[3], loss);
    }
  }

  /**
   * Trains on pairs of texts and saves the model.
   *
   * @param pairs two columns of strings; the driver collects them, and every rank gets all of them
   *     in the same order
   * @param config keys of {@code Config.describe("train")}, such as "method"
   * @param ranks the number of tasks that share the run; the cluster must be able to run all at
   *     once
   * @param output a folder on a disk that the first rank can reach
   * @return the loss of the last update
   */
  public static double train(
      SparkSession spark,
      org.apache.spark.sql.Dataset<Row> pairs,
      String model,
      TreeMap<String, String> config,
      int ranks,
      String output) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    List<String[]> texts = new ArrayList<>();
    for (int column = 0; column < 2; column++) {
      if (!pairs.schema().apply(column).dataType().equals(DataTypes.StringType)) {
        throw new IllegalArgumentException(
            "column '"
                + pairs.schema().apply(column).name()
                + "' holds no strings, but "
                + pairs.schema().apply(column).dataType().simpleString());
      }
    }
    for (Row row : pairs.collectAsList()) {
      if (row.isNullAt(0) || row.isNullAt(1))
        throw new IllegalArgumentException(
            "row " + texts.size() + " has a null: leave it out, as with na().drop()");
      texts.add(new String[] {row.getString(0), row.getString(1)});
    }
    Rank rank = new Rank(context.broadcast(texts), model, config, output);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < ranks; i++) numbers.add(i);
    RDD<Double> losses =
        context
            .parallelize(numbers, ranks)
            .rdd()
            .barrier()
            .mapPartitions(rank, false, ClassTag$.MODULE$.apply(Double.class));
    return losses.toJavaRDD().collect().get(0);
  }

  /** What a task does. */
  private static final class Rank
      extends AbstractFunction1<
          scala.collection.Iterator<Integer>, scala.collection.Iterator<Double>>
      implements Serializable {
    private static final long serialVersionUID = 1;
    private final Broadcast<List<String[]>> texts;
    private final String model;
    private final TreeMap<String, String> config;
    private final String output;

    Rank(
        Broadcast<List<String[]>> texts,
        String model,
        TreeMap<String, String> config,
        String output) {
      this.texts = texts;
      this.model = model;
      this.config = config;
      this.output = output;
    }

    @Override
    public scala.collection.Iterator<Double> apply(scala.collection.Iterator<Integer> number) {
      BarrierTaskContext task = BarrierTaskContext.get();
      int rank = task.partitionId();
      // Every task sends an address, because allGather needs a message from each. The first one is
      // used.
      String[] places = task.allGather(freePlace());
      Library.setThreads(task.cpus());
      Config own =
          EncodeSettings.typed(config)
              .with("dist.mode", "keys")
              .with("dist.rank", rank)
              .with("dist.world_size", places.length)
              .with("dist.store", "tcp://" + places[0]);
      try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(model));
          Dataset data = Dataset.create()) {
        for (String[] pair : texts.value()) data.add(pair[0], pair[1]);
        try (Trainer trainer = Trainer.start(encoder, data, own)) {
          trainer.run();
          if (rank == 0) {
            try (SentenceEncoder trained = trainer.model()) {
              trained.save(Path.of(output));
            }
          }
          Iterator<Double> loss = List.of(trainer.metric("loss")).iterator();
          return JavaConverters.asScala(loss);
        }
      }
    }

    private static String freePlace() {
      String host =
          SparkEnv.get()
              .blockManager()
              .blockManagerId()
              .host(); // the address at which other executors reach this one
      try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName(host))) {
        return host + ":" + any.getLocalPort();
      } catch (IOException e) {
        throw new IllegalStateException("no port is free on " + host, e);
      }
    }
  }
}
