package examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BarrierTrainingTest {
  static final TreeMap<String, String> CONFIG =
      new TreeMap<>(
          Map.of(
              "method",
              "mnrl",
              "batch_size",
              "8",
              "max_steps",
              "12",
              "optimizer",
              "sgd",
              "lr",
              "0.05",
              "warmup_steps",
              "0",
              "schedule",
              "constant"));
  @TempDir Path folder;

  @Test
  void twoTasksTrainWhatOneProcessTrains() throws IOException {
    Path output = folder.resolve("model");
    double loss;
    try (SparkSession spark = Sentences.localSpark()) {
      loss =
          BarrierTraining.train(
              spark, pairs(spark), Models.tiny().toString(), CONFIG, 2, output.toString());
    }
    assertTrainedByOneProcess(output, loss);
  }

  /** What is trained on, in one partition and so in an order that is always the same. */
  static Dataset<Row> pairs(SparkSession spark) {
    List<Row> rows = new ArrayList<>();
    for (String[] pair : texts()) rows.add(RowFactory.create(pair[0], pair[1]));
    return spark
        .createDataFrame(
            rows, new StructType().add("a", DataTypes.StringType).add("b", DataTypes.StringType))
        .coalesce(1);
  }

  private static List<String[]> texts() {
    List<String> all = Sentences.some(80, 8);
    List<String[]> pairs = new ArrayList<>();
    for (int i = 0; i < 40; i++)
      pairs.add(new String[] {"a " + all.get(i), "a " + all.get(40 + i)});
    return pairs;
  }

  /** The model and the loss are those of a run that one process makes alone. */
  static void assertTrainedByOneProcess(Path model, double loss) {
    List<String> a = Sentences.some(40, 8);
    try (SentenceEncoder start = SentenceEncoder.load(Models.tiny());
        io.contrastive.Dataset data = io.contrastive.Dataset.create()) {
      for (String[] pair : texts()) data.add(pair[0], pair[1]);
      try (Trainer trainer = Trainer.start(start, data, EncodeSettings.typed(CONFIG))) {
        trainer.run();
        assertEquals(trainer.metric("loss"), loss, 1e-4);
        try (SentenceEncoder alone = trainer.model();
            SentenceEncoder shared = SentenceEncoder.load(model)) {
          float apart = apart(alone.encode(a), shared.encode(a));
          float moved = apart(start.encode(a), shared.encode(a));
          System.out.printf(
              "two ranks on Spark: %.1e from one process, which training moved by %.1e%n",
              apart, moved);
          assertTrue(moved > 1e-3, "training moved an embedding by " + moved);
          assertTrue(
              apart < 1e-3 * moved,
              "two ranks are " + apart + " from one process, which training moved by " + moved);
        }
      }
    }
  }

  private static float apart(float[][] a, float[][] b) {
    float most = 0;
    for (int i = 0; i < a.length; i++)
      for (int j = 0; j < a[i].length; j++) most = Math.max(most, Math.abs(a[i][j] - b[i][j]));
    return most;
  }
}
