package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A sink that is replaced and cleared from outside, and from inside, which is refused. */
@ExtendWith(LeakCheck.class)
class LogTest {
  /** The sink tries to clear and replace itself while other threads replace it. */
  @Test
  void replacingASinkThatClearsItselfHangsNobody() {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger messages = new AtomicInteger();
    AtomicInteger busy = new AtomicInteger();
    AtomicInteger replaced = new AtomicInteger();
    ConcurrentLinkedQueue<Object> surprises = new ConcurrentLinkedQueue<>();
    Log.Sink sink =
        (level, message) -> {
          messages.incrementAndGet();
          List<Runnable> calls =
              List.of(
                  Log::clear,
                  () -> Log.setSink((l, m) -> {}, Log.Level.DEBUG),
                  () -> Log.toSystemLogger(Log.Level.DEBUG));
          for (Runnable call : calls) {
            try {
              call.run();
              surprises.add("a sink was allowed to replace itself");
            } catch (ContrastiveException e) {
              if (e.kind() == ContrastiveException.Kind.BUSY) busy.incrementAndGet();
              else surprises.add(e);
            }
          }
        };
    Runnable replace =
        () -> {
          try {
            while (!stop.get()) {
              if (replaced.incrementAndGet() % 5 == 0) Log.clear();
              else Log.setSink(sink, Log.Level.DEBUG);
              Thread.sleep(1);
            }
          } catch (Throwable e) {
            surprises.add(e);
          }
        };
    Runnable talk =
        () -> {
          try (SentenceEncoder encoder = Fixtures.encoder();
              Dataset data = Fixtures.pairs()) {
            while (!stop.get())
              Trainer.start(encoder, data, Fixtures.CLSR).close(); // logs that there is no dev file
          } catch (Throwable e) {
            surprises.add(e);
          }
        };
    List<Thread> threads = List.of(daemon(replace), daemon(replace), daemon(talk), daemon(talk));
    threads.forEach(Thread::start);
    try {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < 3_000_000_000L
          || ((messages.get() <= 10 || replaced.get() <= 100)
              && System.nanoTime() - begin < 60_000_000_000L)) {
        Thread.sleep(100); // longer on a busy machine
      }
      stop.set(true);
      for (Thread thread : threads) {
        thread.join(10_000);
        if (!thread.isAlive()) continue;
        StringBuilder stacks = new StringBuilder("threads hang:");
        for (Thread each : threads)
          stacks.append('\n').append(each).append(List.of(each.getStackTrace()));
        fail(stacks.toString());
      }
    } catch (InterruptedException e) {
      fail(e);
    }
    Log.clear();
    assertTrue(surprises.isEmpty(), surprises.toString());
    assertTrue(
        messages.get() > 10 && replaced.get() > 100,
        messages + " messages, replaced " + replaced + " times");
    assertEquals(3 * messages.get(), busy.get(), "answers of BUSY");
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true); // a hanging thread fails this test, but does not keep the process alive
    return thread;
  }

  @Test
  void noCallOfAFormerSinkRunsOnceItIsReplaced() throws InterruptedException {
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs()) {
      for (int round = 0; round < 50; round++) {
        AtomicBoolean gone = new AtomicBoolean();
        AtomicBoolean late = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        Log.setSink(
            (level, message) -> {
              calls.incrementAndGet();
              for (int i = 0; i < 200; i++) Thread.onSpinWait();
              if (gone.get()) late.set(true);
            },
            Log.Level.DEBUG);
        Thread talker =
            daemon(
                () -> {
                  for (int i = 0; i < 5; i++) Trainer.start(encoder, data, Fixtures.CLSR).close();
                });
        talker.start();
        while (calls.get() == 0) Thread.onSpinWait();
        assertTimeoutPreemptively(Duration.ofSeconds(10), Log::clear);
        gone.set(true);
        talker.join();
        assertTrue(!late.get(), "a call of the former sink ran after clear had returned");
      }
    } finally {
      Log.clear();
    }
  }
}
