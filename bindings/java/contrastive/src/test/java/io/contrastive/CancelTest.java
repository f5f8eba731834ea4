package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class CancelTest {
  private static final List<String> MANY =
      Collections.nCopies(400_000, "two birds fly over the old house; the cat sat on the mat.");

  @Test
  void aRaisedFlagStopsEveryCallAtOnce() {
    Cancel cancel = new Cancel();
    assertFalse(cancel.isTriggered());
    cancel.trigger();
    cancel.trigger();
    assertTrue(cancel.isTriggered());
    Vectors vectors = Vectors.of(new float[] {1, 2, 3, 4}, 2);
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs();
        Trainer trainer = Trainer.start(encoder, data, Fixtures.CLSR)) {
      fails(
          Kind.CANCELLED,
          "",
          () -> encoder.encode(List.of("a"), EncodeOptions.defaults().withCancel(cancel)));
      fails(Kind.CANCELLED, "", () -> Search.nearest(vectors, vectors, 1, Metric.DOT, cancel));
      fails(Kind.CANCELLED, "", () -> trainer.step(cancel));
      fails(
          Kind.CANCELLED,
          "",
          () -> trainer.batch(List.of(Example.pair("a", "b"), Example.pair("c", "d")), cancel));
      assertEquals(0, trainer.metric("step"));
      assertTrue(trainer.step(new Cancel()), "the trainer continues");
    }
  }

  @Test
  void aFlagStopsACallThatRuns() throws InterruptedException {
    Cancel cancel = new Cancel();
    stopsWhile(thread -> cancel.trigger(), EncodeOptions.defaults().withCancel(cancel), false);
  }

  @Test
  void interruptingTheThreadStopsACallThatRuns() throws InterruptedException {
    stopsWhile(Thread::interrupt, EncodeOptions.defaults(), true);
    Cancel cancel = new Cancel();
    stopsWhile(Thread::interrupt, EncodeOptions.defaults().withCancel(cancel), true);
    assertFalse(
        cancel.isTriggered(), "an interrupt affects one thread, but many may share the flag");
  }

  private static void stopsWhile(
      java.util.function.Consumer<Thread> stop, EncodeOptions options, boolean interrupted)
      throws InterruptedException {
    AtomicReference<Throwable> outcome = new AtomicReference<>();
    AtomicReference<Boolean> status = new AtomicReference<>();
    CountDownLatch running = new CountDownLatch(1);
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      java.nio.FloatBuffer out = Vectors.allocate(MANY.size(), 32);
      Thread thread =
          new Thread(
              () -> {
                running.countDown();
                try {
                  encoder.encode(MANY, options, out);
                } catch (Throwable e) {
                  outcome.set(e);
                }
                status.set(Thread.currentThread().isInterrupted());
              });
      thread.start();
      running.await();
      Thread.sleep(300); // in the native call by now, which takes seconds
      assertTrue(thread.isAlive(), "the call finished before it could be stopped");
      long began = System.nanoTime();
      stop.accept(thread);
      thread.join(10_000);
      assertFalse(thread.isAlive());
      System.out.printf("stopped after %d ms%n", (System.nanoTime() - began) / 1_000_000);
    }
    ContrastiveException failure = (ContrastiveException) outcome.get();
    assertEquals(Kind.CANCELLED, failure.kind());
    assertEquals(interrupted, failure.getMessage().contains("interrupted"));
    assertEquals(interrupted, status.get(), "the thread's interrupt status");
  }

  /** Uses a virtual thread if Java has them. */
  @Test
  void cancellingAFutureStopsItsCall() throws Exception {
    ExecutorService threads = Fixtures.manyThreads();
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      CountDownLatch running = new CountDownLatch(1);
      CountDownLatch stopped = new CountDownLatch(1);
      Future<?> call =
          threads.submit(
              () -> {
                running.countDown();
                fails(
                    Kind.CANCELLED,
                    "interrupted",
                    () ->
                        encoder.encode(
                            MANY, EncodeOptions.defaults(), Vectors.allocate(MANY.size(), 32)));
                stopped.countDown();
              });
      running.await();
      Thread.sleep(300);
      call.cancel(true);
      assertTrue(stopped.await(10, TimeUnit.SECONDS), "the call did not stop");
    }
    threads.shutdown();
  }

  @Test
  void aThreadThatIsInterruptedAlreadyDoesNotBegin() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      Thread.currentThread().interrupt();
      fails(Kind.CANCELLED, "interrupted", () -> encoder.encode("a"));
      assertTrue(Thread.interrupted(), "the interrupt status is kept");
      assertEquals(32, encoder.encode("a").length);
    }
  }
}
