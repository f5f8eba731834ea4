package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the virtual machine ends while other threads train and search, with its own exit
 * status and without output. Uses separate Java processes.
 */
class ShutdownTest {
  private static final int STATUS = 7;

  @TempDir Path folder;
  private JavaProcess process;

  /** What the processes run. Arguments: MODEL, then what to do. Each process loads LibTorch. */
  public static final class Main {
    private static final CountDownLatch RUNNING = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception {
      SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]));
      Dataset data = Dataset.create();
      for (int i = 0; i < 64; i++)
        data.add(Example.pair("the " + i + " birds fly far", "a cat sat on the mat"));
      Trainer trainer =
          Trainer.start(
              encoder, data, Config.of("method", "mnrl", "batch_size", 16, "max_steps", 1000000));
      trainer.step();
      Thread thread =
          new Thread(
              switch (arguments[1]) {
                case "train" -> () -> train(trainer);
                case "embed" -> () -> embed(encoder);
                default -> Main::search;
              });
      thread.setDaemon(!arguments[1].equals("foreground"));
      if (arguments[1].equals("join"))
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(thread, false)));
      if (arguments[1].equals("interrupt"))
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(thread, true)));
      thread.start();
      RUNNING.await();
      Thread.sleep(500);
      if (!List.of("train", "embed").contains(arguments[1])) System.exit(STATUS);
    }

    private static void train(Trainer trainer) {
      while (trainer.step()) RUNNING.countDown();
    }

    private static void embed(SentenceEncoder encoder) {
      List<String> texts = Collections.nCopies(1000, "two birds fly over the old house");
      for (; ; RUNNING.countDown()) {
        encoder.encode(texts);
        encoder.encode(texts.get(0));
      }
    }

    /** A call that takes much longer than the test waits. */
    private static void search() {
      Vectors queries = Vectors.of(Vectors.allocate(50_000, 64), 64),
          corpus = Vectors.of(Vectors.allocate(400_000, 64), 64);
      RUNNING.countDown();
      Search.nearest(queries, corpus, 1, Metric.DOT, null);
    }

    /** Ends a worker as a program's own shutdown hook would. */
    private static void end(Thread thread, boolean interrupt) {
      try {
        if (interrupt) thread.interrupt();
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      System.out.println("joined");
    }
  }

  @BeforeEach
  void copyClasses() throws IOException {
    process = new JavaProcess(folder, Main.class);
  }

  /** The result of a process that does this, which must end within this many seconds. */
  private JavaProcess.Outcome ends(String what, int seconds) throws Exception {
    long began = System.nanoTime();
    JavaProcess.Outcome outcome =
        process.run(
            Map.of(),
            "",
            "-Dcontrastive.library=" + JavaProcess.NATIVES,
            "-Dcontrastive.libtorch=" + BuildInfo.get().libtorchPath(),
            "--",
            Fixtures.MODELS.resolve("bert_st").toString(),
            what);
    long took = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    assertTrue(took < seconds, what + " took " + took + " s:\n" + outcome.output());
    return outcome;
  }

  private void endsQuietly(String what, int status) throws Exception {
    JavaProcess.Outcome outcome = ends(what, 60);
    assertEquals(status, outcome.exit(), outcome.output());
    for (String word : List.of("Exception", "cancelled", "SIG"))
      assertFalse(outcome.output().contains(word), outcome.output());
  }

  @Test
  void aDaemonThatTrainsOrEmbedsEndsQuietly() throws Exception {
    endsQuietly("train", 0);
    endsQuietly("embed", 0);
  }

  @Test
  void aLongCallEndsQuietly() throws Exception {
    endsQuietly("search", STATUS);
    endsQuietly("foreground", STATUS);
  }

  @Test
  void aHookThatWaitsForTheThreadOfACallGetsIt() throws Exception {
    JavaProcess.Outcome interrupted = ends("interrupt", 60);
    assertEquals(STATUS, interrupted.exit());
    assertTrue(interrupted.output().contains("joined"), interrupted.output());
    JavaProcess.Outcome joined = ends("join", 60);
    assertEquals(STATUS, joined.exit());
    assertTrue(
        joined.output().contains("the virtual machine shuts down: cancelled"), joined.output());
    assertTrue(joined.output().contains("joined"), joined.output());
  }
}
