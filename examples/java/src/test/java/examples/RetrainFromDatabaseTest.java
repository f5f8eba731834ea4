package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.contrastive.Library;
import io.contrastive.SentenceEncoder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetrainFromDatabaseTest {
  @TempDir Path folder;

  @Test
  void rowsOfACursorBecomeBatches() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("shop.db");
    try (Connection database = DriverManager.getConnection(url)) {
      database.createStatement().execute("CREATE TABLE tickets (question TEXT, answer TEXT)");
      try (PreparedStatement insert =
          database.prepareStatement("INSERT INTO tickets VALUES (?, ?)")) {
        for (int i = 0; i < 150; i++) { // two batches of 64 and a rest of 22
          insert.setString(1, "the cat sat in house " + i + " 😀");
          insert.setString(2, "a dog runs to house " + i);
          insert.execute();
        }
      }
    }
    Path output = folder.resolve("model");
    RetrainFromDatabase.main(
        new String[] {
          Models.tiny().toString(),
          url,
          "SELECT question, answer FROM tickets",
          output.toString(),
          "2"
        });
    try (SentenceEncoder before = SentenceEncoder.load(Models.tiny());
        SentenceEncoder after = SentenceEncoder.load(output)) {
      assertFalse(
          Arrays.equals(before.encode("the cat"), after.encode("the cat")), "nothing was learned");
    }
    assertEquals(0, Library.liveHandles());
  }
}
