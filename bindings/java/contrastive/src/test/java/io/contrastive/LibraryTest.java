package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests what belongs to no single object: build info, threads, kinds of errors, log messages, and
 * the JSON reader.
 */
@ExtendWith(LeakCheck.class)
class LibraryTest {
  @Test
  void buildInfoTellsWhatWasLoaded() {
    BuildInfo info = BuildInfo.get();
    assertEquals(Library.version(), info.version());
    assertEquals("0.1.0", info.version());
    assertEquals(0, info.abi());
    assertTrue(info.threads() >= 1 && !info.libtorch().isBlank() && !info.cpu().isBlank());
    assertTrue(
        info.loaded().get(info.loaded().size() - 1).endsWith("libcontrastive_java.so"),
        info.loaded().toString());
    assertTrue(info.cudaDevices() > 0 || !info.cudaReason().isBlank());
  }

  @Test
  void threadsAreSetWithinTheirRange() {
    Library.setThreads(1);
    assertEquals(1, BuildInfo.get().threads());
    Library.setThreads(0);
    fails(Kind.ARGUMENT, "1024", () -> Library.setThreads(1025));
  }

  @Test
  void everyStatusOfTheLibraryHasItsKind() {
    for (int code = -1; code >= -200; code--) {
      String name = Native.cs_status_name(code);
      assertEquals(name, Kind.of(code).name(), "status " + code);
      if (!name.equals("UNKNOWN"))
        assertEquals(code, ContrastiveException.of(Kind.of(code), "", null).code());
    }
  }

  @Test
  void everyThreadGetsTheMessageOfItsOwnCall() throws Exception {
    ExecutorService threads = Fixtures.manyThreads();
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      String name = "missing-" + i + "-";
      calls.add(
          threads.submit(() -> fails(Kind.NOT_FOUND, name, () -> Dataset.open(Path.of(name)))));
    }
    for (Future<?> call : calls) call.get();
    threads.shutdown();
  }

  @Test
  void messagesReachTheSink() {
    List<String> messages = Collections.synchronizedList(new ArrayList<>());
    AtomicReference<ContrastiveException> nested = new AtomicReference<>();
    AtomicReference<Throwable> uncaught = new AtomicReference<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.set(thrown));
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset data = Fixtures.pairs()) {
      Log.setSink(
          (level, message) -> {
            messages.add(level + " " + message);
            try {
              Library.setThreads(1);
            } catch (ContrastiveException e) {
              nested.set(e);
            }
            throw new IllegalStateException("a sink that fails");
          },
          Log.Level.INFO);
      Trainer.start(encoder, data, Fixtures.CLSR).close(); // logs that there is no dev file
      Log.clear();
      assertFalse(messages.isEmpty());
      assertTrue(
          messages.stream()
              .anyMatch(message -> message.startsWith("INFO") && message.contains("dev")),
          messages.toString());
      assertEquals(Kind.BUSY, nested.get().kind());
      assertEquals("a sink that fails", uncaught.get().getMessage());
      int before = messages.size();
      Trainer.start(encoder, data, Fixtures.CLSR).close();
      assertEquals(before, messages.size());
      Log.toSystemLogger(Log.Level.WARNING);
      Trainer.start(encoder, data, Fixtures.CLSR).close();
      Log.clear();
      Log.clear();
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(null);
    }
  }

  @Test
  void theJsonReaderReadsWhatTheLibraryWrites() {
    Map<String, Object> read =
        Json.object(
            " {\"a\": [1, -2.5e3, true, false, null, []], \"b\\n"
                + "\\u00e9\\ud83d\\ude00\": {\"c\": \"d\\\"\\\\\"}, \"e\":{}} ");
    assertEquals(
        java.util.Arrays.asList(1.0, -2500.0, true, false, null, List.of()), read.get("a"));
    assertEquals(Map.of("c", "d\"\\"), read.get("b\né😀"));
    assertEquals(Map.of(), read.get("e"));
  }
}
