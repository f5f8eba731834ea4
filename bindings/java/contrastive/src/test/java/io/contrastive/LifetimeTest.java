package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.closed;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Objects that are closed twice, too early, during a call, or never. */
@ExtendWith(LeakCheck.class)
class LifetimeTest {
  @Test
  void closingTwiceDoesNothingAndUseAfterIsAnError() {
    SentenceEncoder encoder = Fixtures.encoder();
    Dataset data = Fixtures.pairs();
    Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR);
    encoder.close();
    encoder.close();
    data.close();
    assertTrue(trainer.step(), "a trainer keeps what it needs");
    trainer.close();
    trainer.close();
    data.close();
    closed("SentenceEncoder is closed", () -> encoder.encode("a"));
    closed("SentenceEncoder is closed", encoder::dimension);
    closed("SentenceEncoder is closed", encoder::snapshot);
    closed("Dataset is closed", data::size);
    closed("Trainer is closed", trainer::step);
    closed("Trainer is closed", () -> trainer.metric("loss"));
    closed("SentenceEncoder is closed", () -> Trainer.start(encoder, null, Fixtures.CLSR));
  }

  @Test
  void closingDuringCallsOfOtherThreadsLetsThemFinish() throws Exception {
    List<String> texts = List.of("the cat sat", "a dog runs", "two birds fly over the old house");
    ExecutorService threads = Executors.newFixedThreadPool(3);
    AtomicInteger finished = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    for (int round = 0; round < 100; round++) {
      SentenceEncoder encoder = Fixtures.encoder();
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        calls.add(
            threads.submit(
                () -> {
                  FloatBuffer out = Vectors.allocate(3, 32);
                  try {
                    for (; ; ) {
                      encoder.encode(texts, EncodeOptions.defaults(), out);
                      finished.incrementAndGet();
                    }
                  } catch (ClosedException e) {
                    refused.incrementAndGet();
                  }
                }));
      }
      int before = finished.get();
      while (finished.get() < before + 5) Thread.onSpinWait();
      encoder.close();
      for (Future<?> call : calls) call.get();
    }
    threads.shutdown();
    assertEquals(300, refused.get());
    assertTrue(finished.get() >= 500, "calls that finished: " + finished.get());
  }

  @Test
  void closingATrainerDuringAStep() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs()) {
      for (int round = 0; round < 20; round++) {
        Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR.with("max_steps", 1_000_000));
        AtomicInteger steps = new AtomicInteger();
        Future<?> loop =
            thread.submit(
                () ->
                    closed(
                        "Trainer is closed",
                        () -> {
                          while (trainer.step()) steps.incrementAndGet();
                        }));
        while (steps.get() < 3) Thread.onSpinWait();
        trainer.close();
        loop.get();
      }
    }
    thread.shutdown();
  }

  @Test
  void forgottenObjectsAreFreedWhenTheyAreCollected() throws InterruptedException {
    long before = Library.liveHandles();
    for (int i = 0; i < 200; i++) {
      SentenceEncoder encoder = Fixtures.encoder();
      Dataset data = Fixtures.pairs();
      Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR);
      assertTrue(Library.liveHandles() > before && trainer != null);
    }
    assertTrue(
        Fixtures.collectUntil(() -> Library.liveHandles() == before),
        Library.liveHandles() - before + " objects were not freed");
  }

  /**
   * The collector sees only small Java objects here, so nothing but the package makes it run before
   * the memory is exhausted.
   */
  @Test
  void aLoopThatForgetsModelsHasBoundedMemory(@TempDir Path folder)
      throws IOException, InterruptedException {
    Config recipe =
        Config.of(
            "tokenizer",
            Fixtures.MODELS.resolve("bert_st").toString(),
            "layers",
            4,
            "hidden_size",
            512,
            "attention_heads",
            8,
            "pooling",
            "mean");
    Path model = folder.resolve("model");
    long size;
    try (SentenceEncoder encoder = SentenceEncoder.create(recipe)) {
      encoder.save(model);
      size = encoder.memory();
    }
    assertTrue(size > 4 * 12 * 512 * 512 * 4L, "the model has " + size + " bytes");
    long before = residentKilobytes(), handles = Library.liveHandles(), most = 0, grown = 0;
    for (int i = 0; i < 60; i++) {
      SentenceEncoder.load(model);
      most = Math.max(most, Library.liveHandles() - handles);
      grown = Math.max(grown, residentKilobytes() - before);
    }
    System.out.printf("60 forgotten models: %d at once, resident memory +%d KB%n", most, grown);
    assertTrue(most * size < 4 * NativeMemory.BOUND, most + " models were alive at once");
    assertTrue(grown < 4 * NativeMemory.BOUND / 1024, "resident memory grew by " + grown + " KB");
    assertTrue(Fixtures.collectUntil(() -> NativeMemory.held() == 0));
  }

  @Test
  void collectionDuringACallIsSafe() throws Exception {
    ExecutorService collector = Executors.newSingleThreadExecutor();
    Future<?> pressure =
        collector.submit(
            () -> {
              while (!Thread.currentThread().isInterrupted()) System.gc();
            });
    long before = Library.liveHandles();
    List<String> texts = List.of("the cat sat", "a dog");
    for (int i = 0; i < 30; i++)
      assertEquals(32, Fixtures.encoder().encode(texts)[1].length); // only the call refers to it
    pressure.cancel(true);
    collector.shutdown();
    assertTrue(Fixtures.collectUntil(() -> Library.liveHandles() == before));
  }

  /**
   * Only the running call refers to the handle, and the collector runs all the time: no call may
   * find the handle closed.
   */
  @Test
  void aHandleIsNotClosedBeforeItsCallHasCounted() throws Exception {
    ExecutorService collectors = Executors.newFixedThreadPool(2);
    List<Future<?>> pressure = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      pressure.add(
          collectors.submit(
              () -> {
                while (!Thread.currentThread().isInterrupted()) System.gc();
              }));
    }
    AtomicInteger freed = new AtomicInteger();
    int made = 0;
    for (long end = System.nanoTime() + 3_000_000_000L; System.nanoTime() < end; made++) {
      assertEquals(
          7,
          new NativeHandle("Handle", 7, pointer -> freed.incrementAndGet())
              .useInt(pointer -> (int) pointer));
    }
    for (Future<?> each : pressure) each.cancel(true);
    collectors.shutdown();
    int all = made;
    assertTrue(
        Fixtures.collectUntil(() -> freed.get() == all),
        freed.get() + " of " + all + " handles were freed");
  }

  /**
   * The same mix of calls as in the other languages: most embed into existing memory; every tenth
   * also allocates a result, makes a call that is refused, and tokenizes.
   */
  @Test
  void memoryStaysFlatOverAHundredThousandCalls() throws IOException {
    Library.setThreads(
        1); // more threads do not help a model this small, and must be waited for on a busy machine
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      List<String> texts = List.of("the cat sat", "😀");
      FloatBuffer out = Vectors.allocate(2, 32);
      for (int i = 0; i < 20_000; i++)
        call(encoder, i, texts, out); // lets the heap, the compiler and the caches grow first
      // The JVM's own compiler and collector may still grow in one round; a leak grows in every
      // round.
      long grown = Long.MAX_VALUE;
      for (int round = 0; round < 4 && grown > 8_192; round++) {
        long before = residentKilobytes();
        for (int i = 0; i < 100_000; i++) call(encoder, i, texts, out);
        grown = residentKilobytes() - before;
        System.out.printf("resident memory after 100,000 calls: %+d KB%n", grown);
      }
      assertTrue(
          grown <= 8_192,
          "resident memory grew by " + grown + " KB in every round: more than 80 bytes a call");
    } finally {
      Library.setThreads(0);
    }
  }

  private static void call(SentenceEncoder encoder, int i, List<String> texts, FloatBuffer out) {
    encoder.encode(texts, EncodeOptions.defaults(), out);
    if (i % 10 != 0) return;
    if (encoder.encode(texts)[1][0] != out.get(32)) throw new AssertionError("two calls differ");
    fails(
        Kind.ARGUMENT,
        "",
        () -> encoder.encode(texts, EncodeOptions.defaults().withTruncateDim(-1)));
    if (encoder.tokenize(texts.get(0)).size() < 5) throw new AssertionError("tokens are missing");
  }

  private static long residentKilobytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
    }
    throw new IOException("/proc/self/status has no VmRSS");
  }
}
