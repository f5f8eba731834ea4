package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class DatasetTest {
  @TempDir Path folder;

  @Test
  void datasetsGrowAndCount() {
    try (Dataset texts = Dataset.of(List.of("one", "two\0", "😀"));
        Dataset pairs = Dataset.create()) {
      assertEquals(3, texts.size());
      pairs.add("a", "b");
      pairs.add(Example.scored("a", "b", 0.5));
      assertEquals(2, pairs.size());
      fails(Kind.ARGUMENT, "pair", () -> pairs.add("alone"));
      assertThrows(NullPointerException.class, () -> pairs.add("a", null));
      assertThrows(NullPointerException.class, () -> pairs.add((String) null));
      fails(Kind.ARGUMENT, "at least one text", () -> new Example(List.of(), Double.NaN));
      assertEquals(2, pairs.size());
    }
  }

  @Test
  void hardNegativesComeAfterThePair() {
    try (Dataset data = Dataset.create()) {
      data.add(
          Example.withNegatives(
              "how do I reset it", "hold the button\0 😀", "press the button to switch it on", ""));
      assertEquals(1, data.size());
      data.add(
          Example.withNegatives("a", "b", Collections.nCopies(62, "c").toArray(String[]::new)));
      assertEquals(2, data.size());
      fails(
          Kind.ARGUMENT,
          "65",
          () -> data.add(new Example(Collections.nCopies(65, "a"), Double.NaN)));
      fails(
          Kind.ARGUMENT,
          "65",
          () -> data.add(new Example(Collections.nCopies(100, "a"), Double.NaN)));
      assertEquals(2, data.size());
    }
  }

  @Test
  void filesAreChecked() throws IOException {
    Path file = folder.resolve("données.tsv");
    Files.writeString(file, "one\ttwo\nthree\tfour\nfive\n");
    fails(Kind.FORMAT, ":3", () -> Dataset.open(file));
    try (Dataset data = Dataset.open(file, Config.of("data.on_error", "skip"))) {
      assertEquals(2, data.size());
      fails(Kind.STATE, "file", () -> data.add("a", "b"));
    }
    fails(Kind.ARGUMENT, "data.format", () -> Dataset.open(file, Config.of("data.fromat", "tsv")));
    fails(Kind.NOT_FOUND, "missing", () -> Dataset.open(folder.resolve("missing")));
  }
}
