package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class TrainerTest {
  @TempDir Path folder;

  @Test
  void aRunStepsToItsEnd() {
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR)) {
      fails(Kind.STATE, "trainer", () -> data.add("a", "b"));
      assertTrue(Double.isNaN(trainer.metric("loss")));
      for (int i = 1; i <= 6; i++) {
        assertTrue(trainer.step());
        assertEquals(i, trainer.metric("step"));
      }
      assertFalse(trainer.step());
      assertFalse(trainer.step(new Cancel()));
      assertEquals(6.0, trainer.metrics().get("total_steps"));
      assertTrue(Double.isFinite(trainer.metrics().get("loss")));
      assertTrue(Double.isNaN(trainer.metric("no such metric")));
      assertEquals(4.0, trainer.config().toMap().get("batch_size"));
      assertTrue(
          trainer.config().toMap().containsKey("clsr.temperature"), "defaults are filled in");
      fails(Kind.STATE, "dev", trainer::evaluate);
    }
  }

  @Test
  void theTrainedEncoderIsOneOfItsOwn() throws IOException {
    Path dev =
        Files.writeString(
            folder.resolve("dev.tsv"),
            "5\tthe cat sat\ta cat sits\n0\tred\ta dog\n3\ta dog\tthe dog\n");
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR.with("dev", dev))) {
      float[] before = encoder.encode("the cat sat");
      int[] steps = new int[1];
      trainer.run(each -> ++steps[0] < 4);
      assertEquals(4, trainer.metric("step"));
      trainer.run();
      assertEquals(6, trainer.metric("step"));
      assertArrayEquals(before, encoder.encode("the cat sat"));
      Cancel raised = new Cancel();
      raised.trigger();
      fails(Kind.CANCELLED, "", () -> trainer.evaluate(raised));
      trainer.evaluate();
      assertTrue(Double.isFinite(trainer.metric("best_dev")));
      trainer.saveBest(folder.resolve("best"));
      try (SentenceEncoder trained = trainer.model();
          SentenceEncoder best = trainer.bestModel();
          SentenceEncoder saved = SentenceEncoder.load(folder.resolve("best"))) {
        trainer.close();
        assertEquals(8, trained.encode("the cat sat").length);
        assertArrayEquals(saved.encode("the cat sat"), best.encode("the cat sat"), 1e-6f);
      }
    }
  }

  @Test
  void figuresOfTasksArriveAmongTheMetrics() throws IOException {
    Path sts =
        Files.writeString(
            folder.resolve("sts.tsv"),
            "5\tthe cat sat\ta cat sits\n0\tred\ta dog\n3\ta dog\tthe dog\n1\tone man\tblue\n");
    Config watched = Fixtures.CLSR.with("evaluate.sts.data", sts).with("evaluate_every", 2);
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer trainer = Trainer.start(encoder, data, watched)) {
      trainer.step();
      assertTrue(Double.isNaN(trainer.metric("sts.spearman.all")), "measured too early");
      trainer.run();
      try (SentenceEncoder trained = trainer.model()) {
        double expected =
            trained.evaluate("sts", Config.of("data", sts)).number("spearman", "all").getAsDouble();
        assertEquals(expected, trainer.metric("sts.spearman.all"));
        assertEquals(expected, trainer.metrics().get("sts.spearman.all"));
      }
    }
  }

  @Test
  void ranksOnThreadsTrainLikeOne() {
    Config one =
        Config.of("method", "mnrl", "optimizer", "sgd", "lr", 0.1, "batch_size", 8, "max_steps", 2);
    Config two = one.with("dist.mode", "threads").with("dist.devices", "cpu,cpu");
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer alone = Trainer.start(encoder, data, one);
        Trainer together = Trainer.start(encoder, data, two)) {
      alone.run();
      together.run();
      assertEquals(2, together.metric("ranks"));
      assertEquals(alone.metric("loss"), together.metric("loss"), 1e-5);
    }
  }

  @Test
  void aSavedRunGoesOnBitForBit() {
    Path run = folder.resolve("run");
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer whole = Trainer.start(encoder, data, Fixtures.CLSR);
        Trainer half = Trainer.start(encoder, data, Fixtures.CLSR)) {
      for (int i = 0; i < 3; i++) half.step();
      half.save(run);
      whole.run();
      try (Trainer resumed = Trainer.resume(run, encoder, data, null)) {
        assertEquals(3, resumed.metric("step"));
        resumed.run();
        assertEquals(whole.metric("loss"), resumed.metric("loss"));
        try (SentenceEncoder a = whole.model();
            SentenceEncoder b = resumed.model()) {
          assertArrayEquals(a.encode("the cat sat"), b.encode("the cat sat"));
        }
      }
      fails(
          Kind.MISMATCH,
          "batch_size",
          () -> Trainer.resume(run, encoder, data, Config.of("batch_size", 8)));
      fails(
          Kind.NOT_FOUND, "", () -> Trainer.resume(folder.resolve("nothing"), encoder, data, null));
    }
  }

  @Test
  void batchesMayComeFromTheCaller() {
    try (SentenceEncoder encoder = Fixtures.encoder();
        Trainer trainer = Trainer.start(encoder, null, Fixtures.CLSR)) {
      for (int i = 0; i < 6; i++) assertTrue(trainer.batch(Fixtures.PAIRS));
      assertEquals(6, trainer.metric("step"));
      assertTrue(Double.isFinite(trainer.metric("loss")));
      assertFalse(trainer.batch(Fixtures.PAIRS), "max_steps is 6");
      fails(Kind.STATE, "dataset", trainer::step);
    }
    try (SentenceEncoder encoder = Fixtures.encoder();
        Trainer trainer = Trainer.start(encoder, null, Fixtures.CLSR)) {
      fails(Kind.ARGUMENT, "0", () -> trainer.batch(List.of()));
      fails(Kind.ARGUMENT, "one example", () -> trainer.batch(Fixtures.PAIRS.subList(0, 1)));
      fails(
          Kind.ARGUMENT,
          "example 1 has 1 texts",
          () -> trainer.batch(List.of(Example.pair("a", "b"), Example.of("c"))));
      assertEquals(0, trainer.metric("step"));
    }
  }

  @Test
  void aBadConfigIsRefusedWhole() {
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs()) {
      fails(
          Kind.ARGUMENT,
          "batch_size",
          () -> Trainer.start(encoder, data, Fixtures.CLSR.with("bach_size", 4)));
      fails(Kind.ARGUMENT, "clsr", () -> Trainer.start(encoder, data, Config.of("method", "clrs")));
      fails(Kind.ARGUMENT, "method", () -> Trainer.start(encoder, data, Config.empty()));
      fails(
          Kind.ARGUMENT,
          "clsr.temperature",
          () -> Trainer.start(encoder, data, Fixtures.CLSR.with("clsr.temperature", 0)));
      data.add("still", "growing"); // no trainer uses it
    }
  }

  @Test
  void aConfigIsCheckedWithoutAModel() {
    Trainer.check(Fixtures.CLSR);
    fails(Kind.ARGUMENT, "batch_size", () -> Trainer.check(Fixtures.CLSR.with("bach_size", 4)));
    fails(
        Kind.ARGUMENT,
        "clsr.temperature",
        () -> Trainer.check(Fixtures.CLSR.with("clsr.temperature", 0)));
    Config deep = Config.of("method", "sgopt").with("sgopt.lmax", 9);
    Path model = Fixtures.MODELS.resolve("bert_st");
    Trainer.check(deep);
    Trainer.check(deep.with("sgopt.lmax", 2), model);
    fails(Kind.ARGUMENT, "sgopt.lmax", () -> Trainer.check(deep, model));
    fails(Kind.NOT_FOUND, "nowhere", () -> Trainer.check(deep, Path.of("nowhere")));
  }

  @Test
  void aConfigIsCheckedAgainstExamples() {
    Config warmup = Config.of("method", "simcse").with("epochs", 1).with("warmup_steps", 1000);
    Path model = Fixtures.MODELS.resolve("bert_st");
    try (Dataset data = Fixtures.pairs()) {
      Trainer.check(warmup, null, model);
      Trainer.check(warmup.with("warmup_steps", 1), data, model);
      fails(Kind.ARGUMENT, "'warmup_steps'", () -> Trainer.check(warmup, data, null));
      fails(
          Kind.NOT_FOUND,
          "'dev': nowhere",
          () -> Trainer.check(Fixtures.CLSR.with("dev", "nowhere"), data, model));
    }
  }

  @Test
  void aSecondThreadIsToldBusy() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    AtomicInteger stepped = new AtomicInteger();
    AtomicInteger busy = new AtomicInteger();
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR.with("max_steps", 100_000))) {
      Runnable contest =
          () -> {
            for (int i = 0; i < 500; i++) {
              try {
                trainer.step();
                stepped.incrementAndGet();
              } catch (ContrastiveException e) {
                assertEquals(Kind.BUSY, e.kind());
                busy.incrementAndGet();
              }
            }
          };
      List<? extends Future<?>> all =
          List.of(
              threads.submit(contest),
              threads.submit(contest),
              threads.submit(contest),
              threads.submit(contest));
      for (Future<?> each : all) each.get();
      assertEquals(2000, stepped.get() + busy.get());
      assertTrue(busy.get() > 0, "no two calls met");
      assertEquals(stepped.get(), trainer.metric("step"));
    }
    threads.shutdown();
  }
}
