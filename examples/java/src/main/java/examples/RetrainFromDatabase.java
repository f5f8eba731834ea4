package examples;

import io.contrastive.Config;
import io.contrastive.Example;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Trains an encoder on the rows of a database query, which have two texts each. It reads them from
 * a cursor, so the table may be larger than memory.
 */
public final class RetrainFromDatabase {
  private static final int BATCH = 64;

  private RetrainFromDatabase() {}

  /** MODEL JDBC-URL QUERY OUTPUT [EPOCHS] */
  public static void main(String[] arguments) throws SQLException {
    if (arguments.length < 4)
      throw new IllegalArgumentException(
          "usage: RetrainFromDatabase MODEL JDBC-URL QUERY OUTPUT [EPOCHS]");
    int epochs = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 3;
    Config config =
        Config.of(
            "method",
            "mnrl",
            "optimizer",
            "adamw",
            "lr",
            0.001,
            "schedule",
            "constant", // and no warm-up: the number of updates is not known
            "warmup_ratio",
            0,
            "batch_size",
            BATCH,
            "max_steps",
            1_000_000);
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]));
        Trainer trainer = Trainer.start(encoder, null, config);
        Connection database = DriverManager.getConnection(arguments[1]);
        Statement statement = database.createStatement()) {
      statement.setFetchSize(BATCH);
      for (int epoch = 1; epoch <= epochs; epoch++) {
        try (ResultSet rows = statement.executeQuery(arguments[2])) {
          List<Example> batch = new ArrayList<>();
          for (boolean more = rows.next(); more; ) {
            batch.add(Example.pair(rows.getString(1), rows.getString(2)));
            more = rows.next();
            if (batch.size() == BATCH
                || (!more
                    && batch.size() > 1)) { // the other texts of a batch are a pair's negatives
              trainer.batch(batch);
              batch.clear();
              System.err.printf(
                  "\repoch %d of %d, step %.0f, loss %.4f",
                  epoch, epochs, trainer.metric("step"), trainer.metric("loss"));
            }
          }
        }
      }
      System.err.println();
      trainer.save(Path.of(arguments[3]));
    }
  }
}
