package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class EvaluatorTest {
  @TempDir Path folder;

  @Test
  void reportsHoldFigures() throws IOException {
    Path file = Files.writeString(folder.resolve("sts.tsv"),
        "5\tthe cat sat\tthe cat sat\n1\tthe cat sat\ttwo birds fly\n3\ta dog\tthe dog\n0\tred\tclosed house\n");
    Config config = Config.of("data", file);
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      Evaluator.Report report = Evaluator.evaluate(encoder, "sts", config);
      double spearman = report.figure("spearman", "all");
      assertTrue(spearman > 0 && spearman <= 1, report.json());
      assertEquals(spearman, Evaluator.evaluate(encoder, "sts", config, new Cancel()).figure("spearman", "all"));
      fails(Kind.ARGUMENT, "spearman.some", () -> report.figure("spearman", "some"));
      fails(Kind.ARGUMENT, "no number", () -> report.figure("spearman"));
      fails(Kind.ARGUMENT, "sts", () -> Evaluator.evaluate(encoder, "stss", config));
      fails(Kind.NOT_FOUND, "missing", () -> Evaluator.evaluate(encoder, "sts", Config.of("data", folder.resolve("missing"))));
      fails(Kind.ARGUMENT, "data", () -> Evaluator.evaluate(encoder, "sts", config.with("dta", "x")));
      Cancel cancel = new Cancel();
      cancel.trigger();
      fails(Kind.CANCELLED, "cancelled", () -> Evaluator.evaluate(encoder, "sts", config, cancel));
    }
  }
}
