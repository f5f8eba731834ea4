package examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.Config;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BarrierTrainingTest {
  private static final TreeMap<String, String> CONFIG = new TreeMap<>(Map.of("method", "mnrl", "batch_size", "8", "max_steps", "12", "optimizer", "sgd",
      "lr", "0.05", "warmup_steps", "0", "schedule", "constant"));
  @TempDir Path folder;

  @Test
  void twoTasksTrainWhatOneProcessTrains() throws java.io.IOException {
    List<String> a = Sentences.some(40, 8);
    List<String> b = Sentences.some(80, 8).subList(40, 80);
    List<Row> pairs = new ArrayList<>();
    for (int i = 0; i < a.size(); i++) pairs.add(RowFactory.create("a " + a.get(i), "a " + b.get(i)));
    Path output = folder.resolve("model");
    double loss;
    try (SparkSession spark = Sentences.localSpark()) {
      loss = BarrierTraining.train(spark,
          spark.createDataFrame(pairs, new StructType().add("a", DataTypes.StringType).add("b", DataTypes.StringType)).coalesce(1), Models.tiny().toString(),
          CONFIG, 2, output.toString());
    }
    try (SentenceEncoder start = SentenceEncoder.load(Models.tiny()); io.contrastive.Dataset data = io.contrastive.Dataset.create()) {
      for (Row pair : pairs) data.add(pair.getString(0), pair.getString(1));
      try (Trainer trainer = Trainer.start(start, data, Config.of(CONFIG))) {
        trainer.run();
        assertEquals(trainer.metric("loss"), loss, 1e-4);
        try (SentenceEncoder alone = trainer.model(); SentenceEncoder shared = SentenceEncoder.load(output)) {
          float apart = apart(alone.encode(a), shared.encode(a));
          float moved = apart(start.encode(a), shared.encode(a));
          System.out.printf("two ranks on Spark: %.1e from one process, which training moved by %.1e%n", apart, moved);
          assertTrue(moved > 1e-3, "training moved an embedding by " + moved);
          assertTrue(apart < 1e-3 * moved, "two ranks are " + apart + " from one process, which training moved by " + moved);
        }
      }
    }
  }

  private static float apart(float[][] a, float[][] b) {
    float most = 0;
    for (int i = 0; i < a.length; i++) for (int j = 0; j < a[i].length; j++) most = Math.max(most, Math.abs(a[i][j] - b[i][j]));
    return most;
  }
}
