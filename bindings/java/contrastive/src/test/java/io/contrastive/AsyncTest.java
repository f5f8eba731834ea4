package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Embeds a stream of texts, and embeds on other threads. */
@ExtendWith(LeakCheck.class)
class AsyncTest {
  private static final EncodeOptions DEFAULTS = EncodeOptions.defaults();

  @Test
  void aStreamIsReadInBatches() {
    AtomicInteger read = new AtomicInteger();
    AtomicBoolean closed = new AtomicBoolean();
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      Stream<String> texts =
          IntStream.iterate(0, i -> i + 1) // without an end
              .peek(i -> read.incrementAndGet())
              .mapToObj(i -> "text " + i)
              .onClose(() -> closed.set(true));
      try (Stream<float[]> vectors = encoder.encode(texts, DEFAULTS)) {
        assertEquals(0, read.get(), "nothing is read before the result is");
        List<float[]> first = vectors.limit(1500).toList();
        assertArrayEquals(encoder.encode("text 1400"), first.get(1400), 1e-5f);
        assertEquals(2048, read.get());
      }
      assertTrue(closed.get());
      assertEquals(0, encoder.encode(Stream.<String>empty(), DEFAULTS).count());
      fails(
          Kind.ARGUMENT,
          "tokenCounts",
          () -> encoder.encode(Stream.of("a"), DEFAULTS.withTokenCounts(new int[1])));
    }
  }

  @Test
  void aFutureHasTheEmbeddings() throws Exception {
    SentenceEncoder encoder = Fixtures.encoder();
    List<CompletableFuture<float[][]>> calls =
        Stream.of("a", "b", "c").map(text -> encoder.encodeAsync(List.of(text), DEFAULTS)).toList();
    CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
    assertArrayEquals(encoder.encode("c"), calls.get(2).get()[0]);
    encoder.close();
    CompletableFuture<float[][]> late = encoder.encodeAsync(List.of("a"), DEFAULTS);
    assertInstanceOf(
        ClosedException.class, assertThrows(ExecutionException.class, late::get).getCause());
  }

  @Test
  void cancellingTheFutureStopsTheCallAndNoOther() throws Exception {
    List<String> many = Collections.nCopies(400_000, "two birds fly over the old house");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      CompletableFuture<float[][]> call = encoder.encodeAsync(many, DEFAULTS, thread);
      CompletableFuture<float[][]> next = encoder.encodeAsync(List.of("a", "b"), DEFAULTS, thread);
      CompletableFuture<float[][]> never = encoder.encodeAsync(many, DEFAULTS, thread);
      never.cancel(false);
      Thread.sleep(300); // the first call runs by now
      assertFalse(call.isDone());
      call.cancel(true);
      assertEquals(2, next.get(20, TimeUnit.SECONDS).length);
      assertTrue(call.isCancelled());
    }
    thread.shutdown();
    assertTrue(thread.awaitTermination(20, TimeUnit.SECONDS));
  }
}
