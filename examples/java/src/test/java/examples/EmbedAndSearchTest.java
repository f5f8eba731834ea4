package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.Library;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbedAndSearchTest {
  @TempDir Path folder;

  @Test
  void theRealModelFindsWhatIsMeant() throws IOException {
    Path corpus =
        Files.write(
            folder.resolve("corpus.txt"),
            List.of(
                "A man is eating food.",
                "The girl is carrying a baby.",
                "A man is riding a white horse on an enclosed ground.",
                "A cheetah is running behind its prey.",
                "Someone in a gorilla costume is playing drums."));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EmbedAndSearch.search(
        Models.miniLm(),
        corpus,
        List.of("Someone has a meal.", "Ein Gepard"),
        new PrintStream(out, true, StandardCharsets.UTF_8));
    String[] lines = out.toString(StandardCharsets.UTF_8).lines().toArray(String[]::new);
    assertEquals(8, lines.length);
    assertTrue(lines[1].endsWith("A man is eating food."), lines[1]);
    assertEquals(0, Library.liveHandles());
  }
}
