package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class ReportTest {
  @TempDir Path folder;

  @Test
  void reportsHoldFigures() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("sts.tsv"),
            "5\tthe cat sat\tthe cat sat\n"
                + "1\tthe cat sat\ttwo birds fly\n"
                + "3\ta dog\tthe dog\n"
                + "0\tred\tclosed house\n");
    Config config = Config.of("data", file);
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      Report report = encoder.evaluate("sts", config);
      double spearman = report.number("spearman", "all").getAsDouble();
      assertTrue(spearman > 0 && spearman <= 1, report.json());
      assertEquals(
          spearman,
          encoder.evaluate("sts", config, new Cancel()).number("spearman", "all").getAsDouble());
      assertEquals(OptionalDouble.empty(), report.number("spearman", "some"));
      assertEquals(OptionalDouble.empty(), report.number("spearman"));
      assertEquals(OptionalDouble.empty(), new Report("{\"a\": {\"b\": null}}").number("a", "b"));
      fails(Kind.ARGUMENT, "sts", () -> encoder.evaluate("stss", config));
      fails(
          Kind.NOT_FOUND,
          "missing",
          () -> encoder.evaluate("sts", Config.of("data", folder.resolve("missing"))));
      fails(Kind.ARGUMENT, "data", () -> encoder.evaluate("sts", config.with("dta", "x")));
      Cancel cancel = new Cancel();
      cancel.trigger();
      fails(Kind.CANCELLED, "cancelled", () -> encoder.evaluate("sts", config, cancel));
    }
  }
}
