package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.closed;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class RerankerTest {
  @TempDir Path folder;

  private static Path fixture(String name) {
    return Fixtures.RERANKERS.resolve(name);
  }

  @Test
  @SuppressWarnings("unchecked")
  void scoresAreThoseOfSentenceTransformers() throws IOException {
    for (String name : List.of("bert", "bert_labels", "roberta")) {
      Map<String, Object> golden =
          Json.object(Files.readString(fixture(name).resolve("golden.json")));
      try (Reranker reranker = Reranker.load(fixture(name))) {
        assertEquals(golden.get("labels"), reranker.labels());
        List<List<String>> pairs = (List<List<String>>) golden.get("pairs");
        List<List<Double>> expected = (List<List<Double>>) golden.get("scores");
        float[][] scores =
            reranker.scorePairs(
                pairs.stream().map(pair -> pair.get(0)).toList(),
                pairs.stream().map(pair -> pair.get(1)).toList(),
                RerankOptions.defaults());
        assertEquals(expected.size(), scores.length);
        for (int i = 0; i < scores.length; i++) {
          for (int label = 0; label < scores[i].length; label++)
            assertEquals(expected.get(i).get(label), scores[i][label], 1e-5);
        }
      }
    }
  }

  @Test
  void theBestDocumentComesFirst() {
    try (Reranker reranker = Reranker.load(fixture("bert"));
        Reranker labels = Reranker.load(fixture("bert_labels"))) {
      Cancel cancel = new Cancel();
      List<Reranker.Ranked> ranked =
          reranker.rank("no one here", List.of("a hare ran!", "trees", "", "is 7 odd?"));
      assertEquals(4, ranked.size());
      for (int i = 1; i < ranked.size(); i++)
        assertTrue(ranked.get(i - 1).score() >= ranked.get(i).score());
      assertTrue(reranker.rank("no one", List.of()).isEmpty());
      fails(Kind.ARGUMENT, "3 labels", () -> labels.rank("a", List.of("b")));
      fails(
          Kind.ARGUMENT,
          "sigmoid",
          () ->
              reranker.score(
                  "a", List.of("b"), RerankOptions.defaults().withActivation("sigmiod")));
      fails(
          Kind.ARGUMENT,
          "1 first texts",
          () -> reranker.scorePairs(List.of("a"), List.of(), RerankOptions.defaults()));
      cancel.trigger();
      fails(
          Kind.CANCELLED,
          "",
          () -> reranker.score("a", List.of("b"), RerankOptions.defaults().withCancel(cancel)));
    }
  }

  @Test
  void itIsSavedLoadedAndClosed() {
    RerankOptions logits =
        RerankOptions.defaults()
            .withActivation("identity")
            .withPrompt("")
            .withBatchTokens(16)
            .withMaxLength(40);
    assertTrue(Reranker.detect(fixture("roberta")));
    assertFalse(Reranker.detect(Fixtures.MODELS.resolve("bert_st")));
    assertFalse(Reranker.detect(Path.of("nowhere")));
    try (Reranker reranker = Reranker.load(fixture("roberta"))) {
      reranker.save(folder.resolve("saved"));
      try (Reranker again = Reranker.load(folder.resolve("saved"))) {
        assertEquals(48, again.maxLength());
        assertArrayEquals(
            reranker.score("no one", List.of("a stone"), logits)[0],
            again.score("no one", List.of("a stone"), logits)[0]);
      }
      reranker.close();
      closed("closed", () -> reranker.score("a", List.of("b")));
    }
    fails(
        Kind.MISMATCH,
        "classifier",
        () -> Reranker.load(Fixtures.RERANKERS.resolveSibling("families").resolve("bert")));
  }

  @Test
  void itIsEvaluated() throws IOException {
    Path lists =
        Files.writeString(folder.resolve("lists.tsv"), "q\tright\twrong\nr\twrong\tright\n");
    Config keys = Config.of("data", lists);
    try (Reranker reranker = Reranker.load(fixture("bert"))) {
      assertEquals(2, reranker.evaluate("reranking", keys).number("queries").getAsDouble());
      fails(Kind.ARGUMENT, "sts, reranking", () -> reranker.evaluate("geometry", keys));
    }
  }

  private static final String TRIPLETS =
      String.join(
          "\n",
          "{\"anchor\": \"a cat runs\", \"positive\": \"the cat ran\", \"negative\": \"red fish\"}",
          "{\"anchor\": \"two birds\", \"positive\": \"birds in the air\", \"negative\": \"a"
              + " house\"}",
          "{\"anchor\": \"a dog\", \"positive\": \"the old dog\", \"negative\": \"the sun\"}",
          "");

  @Test
  void itTrainsAndGoesOn() throws IOException {
    Path rows = Files.writeString(folder.resolve("triplets.jsonl"), TRIPLETS),
        run = folder.resolve("run");
    Config keys =
        Config.of(
            "method",
            "reranker",
            "reranker.loss",
            "listwise",
            "batch_size",
            2,
            "max_steps",
            4,
            "lr",
            0.01);
    try (Reranker start = Reranker.load(fixture("bert"));
        Dataset data = Dataset.open(rows);
        Trainer trainer = Trainer.startReranker(start, data, keys)) {
      assertTrue(trainer.step() && trainer.step());
      trainer.save(run);
      trainer.run();
      try (Trainer resumed = Trainer.resumeReranker(run, start, data, null)) {
        resumed.run();
        try (Reranker whole = trainer.reranker();
            Reranker other = resumed.bestReranker()) {
          float score = whole.score("a cat runs", List.of("the cat ran"))[0][0];
          assertEquals(score, other.score("a cat runs", List.of("the cat ran"))[0][0]);
          assertNotEquals(score, start.score("a cat runs", List.of("the cat ran"))[0][0]);
        }
      }
      fails(Kind.STATE, "trains a reranker", trainer::model);
      fails(
          Kind.ARGUMENT,
          "trains sentence encoders",
          () -> Trainer.startReranker(start, data, Config.of("method", "simcse")));
      assertThrows(NullPointerException.class, () -> Trainer.startReranker(null, data, keys));
    }
  }

  @Test
  void itGuidesMining() throws IOException {
    Path rows = Files.writeString(folder.resolve("triplets.jsonl"), TRIPLETS);
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Dataset.open(rows);
        Reranker guide = Reranker.load(fixture("bert"));
        Reranker labels = Reranker.load(fixture("bert_labels"))) {
      Config keys = Config.of("relative_margin", -1e9, "num_negatives", 1);
      Report report =
          encoder.mineReranked(data, null, folder.resolve("mined.jsonl"), keys, guide, null);
      assertEquals(3, report.number("negatives").getAsDouble());
      fails(
          Kind.ARGUMENT,
          "labels",
          () -> encoder.mineReranked(data, null, folder.resolve("none.jsonl"), null, labels, null));
      assertThrows(
          NullPointerException.class,
          () -> encoder.mineReranked(data, null, folder.resolve("none.jsonl"), null, null, null));
    }
  }
}
