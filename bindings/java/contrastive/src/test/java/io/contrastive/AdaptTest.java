package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Adapts a model in one call. C++ tests the adaptation itself; this tests the call. */
@ExtendWith(LeakCheck.class)
class AdaptTest {
  private static final Config QUICK =
      Config.of(
          "lr",
          0.002,
          "max_steps",
          40,
          "test_share",
          0.3,
          "near_duplicate",
          1,
          "mining.relative_margin",
          -1e9,
          "resamples",
          100);

  @TempDir Path folder;

  /** 160 pairs; each second text has three words of the first. */
  private static Dataset similar() {
    String[] words =
        ("the cat dog bird house mat two old new fly run open cafe water tree green red blue small"
                + " man")
            .split(" ");
    Dataset data = Dataset.create();
    long draw = 1;
    for (int i = 0; i < 160; ++i) {
      String[] w = new String[5];
      for (int j = 0; j < 5; ++j) {
        draw = draw * 48271 % 2147483647;
        w[j] = words[(int) (draw % 20)];
      }
      data.add(
          Example.pair(
              String.join(" ", w[0], w[1], w[2], w[3]), String.join(" ", w[2], w[0], w[3], w[4])));
    }
    return data;
  }

  private static SentenceEncoder fresh() {
    return SentenceEncoder.create(
        Config.of(
            "tokenizer",
            Fixtures.MODELS.resolve("bert_st").toString(),
            "layers",
            1,
            "hidden_size",
            32,
            "attention_heads",
            2,
            "max_length",
            32,
            "pooling",
            "mean"));
  }

  @Test
  void aBetterModelIsWrittenAndNoOther() {
    Path output = folder.resolve("adapted"), none = folder.resolve("none");
    try (SentenceEncoder encoder = fresh();
        Dataset pairs = similar();
        Dataset corpus = Dataset.of(List.of("one man walks"))) {
      Report report = encoder.adapt(pairs, corpus, output, QUICK);
      assertTrue(report.flag("shipped"), report.text("reason"));
      assertTrue(report.number("figures", "ndcg@10", "gain").getAsDouble() > 0);
      SentenceEncoder.load(output).close();
      assertFalse(encoder.adapt(pairs, null, none, QUICK.with("min_gain", 1)).flag("shipped"));
      assertTrue(Files.notExists(none));
      fails(Kind.ARGUMENT, "is not a text", () -> report.text("shipped"));
      fails(Kind.ARGUMENT, "neither true nor false", () -> report.flag("reason"));
    }
  }

  @Test
  void mistakesAreTold() {
    Path none = folder.resolve("none");
    try (SentenceEncoder encoder = fresh();
        Dataset pairs = similar();
        Dataset corpus = Dataset.of(List.of("one man walks"))) {
      fails(
          Kind.ARGUMENT,
          "a text without a second one",
          () -> encoder.adapt(corpus, null, none, null));
      fails(
          Kind.ARGUMENT,
          "min_gain",
          () -> encoder.adapt(pairs, null, none, Config.of("min_gian", 1)));
      Cancel cancel = new Cancel();
      cancel.trigger();
      fails(Kind.CANCELLED, "", () -> encoder.adapt(pairs, null, none, null, cancel));
      assertTrue(Files.notExists(none));
    }
  }
}
