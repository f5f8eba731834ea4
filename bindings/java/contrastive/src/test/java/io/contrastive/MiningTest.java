package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Mines hard negatives. C++ tests the mining itself; this tests the call. */
@ExtendWith(LeakCheck.class)
class MiningTest {
  private static final Config TWO =
      Config.of("relative_margin", -1e9, "num_negatives", 2, "output_format", "n-tuple");

  @TempDir Path folder;

  @Test
  void negativesAreWrittenAndReported() throws IOException {
    Path output = folder.resolve("mined.jsonl");
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset pairs = Fixtures.pairs();
        Dataset corpus = Dataset.of(List.of("a cat runs", "the birds sit", "red fish"))) {
      Report report = encoder.mine(pairs, corpus, output, TWO);
      assertEquals(pairs.size(), report.number("rows").getAsDouble());
      assertEquals(pairs.size() + 3, report.number("documents").getAsDouble());
      assertEquals(pairs.size(), Files.readAllLines(output).size());
      try (Dataset mined = Dataset.open(output)) {
        assertEquals(pairs.size(), mined.size());
      }
      assertEquals(
          2 * pairs.size(),
          encoder
              .mine(pairs, null, output, TWO, encoder, new Cancel())
              .number("negatives")
              .getAsDouble());
    }
  }

  @Test
  void mistakesAreTold() {
    Path output = folder.resolve("mined.jsonl");
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset pairs = Fixtures.pairs()) {
      fails(
          Kind.ARGUMENT,
          "num_negatives",
          () -> encoder.mine(pairs, null, output, Config.of("num_negativs", 1)));
      fails(
          Kind.ARGUMENT,
          ".jsonl",
          () -> encoder.mine(pairs, null, folder.resolve("mined.csv"), TWO));
      Cancel cancel = new Cancel();
      cancel.trigger();
      fails(Kind.CANCELLED, "", () -> encoder.mine(pairs, null, output, TWO, null, cancel));
      assertTrue(Files.notExists(output));
    }
  }
}
