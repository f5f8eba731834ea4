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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetrainOnYourTextsTest {
  @TempDir Path folder;

  /** A code of their own that the model cannot know: which number word stands for which animal. */
  @Test
  void whatThePairsTeachIsLearned() throws IOException {
    String[] animals = {"cat", "dog", "bird", "fish", "horse", "cow", "mouse", "lion"};
    String[] codes = {"seven", "one", "twelve", "four", "nine", "two", "thirty", "six"};
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int a = i % 8;
      int place = i / 8;
      pairs.add(
          "the "
              + animals[a]
              + " in house "
              + place
              + "\tcode "
              + codes[a]
              + " at address "
              + place);
    }
    Path file = Files.write(folder.resolve("pairs.tsv"), pairs);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RetrainOnYourTexts.retrain(
        Models.miniLm(),
        file,
        folder.resolve("model"),
        new PrintStream(out, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    System.out.print(text);
    double before = figure(text, "before: recall@1 ");
    double after = figure(text, "after:  recall@1 ");
    assertTrue(after > before, text);
    assertTrue(Files.exists(folder.resolve("model/modules.json")));
    assertEquals(0, Library.liveHandles());
  }

  private static double figure(String text, String name) {
    int at = text.indexOf(name) + name.length();
    return Double.parseDouble(text.substring(at, at + 5));
  }
}
