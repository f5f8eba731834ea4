package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each long call reports its progress to the listener of its flag. */
@ExtendWith(LeakCheck.class)
class ProgressTest {
  private record Seen(String what, long done, long total) {}

  private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
  private final Cancel listening =
      new Cancel((what, done, total) -> seen.add(new Seen(what, done, total)));

  @TempDir Path folder;

  private void reported(String call) {
    assertFalse(seen.isEmpty(), call + " reported nothing");
    for (Seen report : seen) {
      assertFalse(report.what.isBlank(), call + " " + report);
      assertTrue(report.done >= 0 && report.total >= 0, call + " " + report);
      assertTrue(report.total == 0 || report.done <= report.total, call + " " + report);
    }
    Seen last = seen.get(seen.size() - 1);
    assertTrue(last.total == 0 || last.done == last.total, call + " ended at " + last);
    seen.clear();
  }

  @Test
  void everyLongCallReports() throws IOException {
    Path sts = folder.resolve("sts.tsv");
    List<String> lines = new ArrayList<>(), scored = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      lines.add("the cat sat on mat " + i);
      scored.add("the cat sat on mat " + i + "\ta dog runs " + i % 7 + "\t" + i % 5);
    }
    Files.write(sts, scored);
    try (SentenceEncoder encoder = Fixtures.encoder();
        Dataset pairs = Fixtures.pairs()) {
      encoder.encode(lines, EncodeOptions.defaults().withCancel(listening));
      assertEquals(60, seen.get(seen.size() - 1).done);
      reported("encode");
      encoder.evaluate("sts", Config.of("data", sts), listening);
      reported("evaluate");
      Config mining = Config.of("relative_margin", -1e9, "num_negatives", 1);
      encoder.mine(pairs, null, folder.resolve("mined.jsonl"), mining, null, listening);
      reported("mine");
      encoder.encode(lines);
      assertTrue(seen.isEmpty(), "a call without the flag reports nothing");
    }
  }

  @Test
  void aListenerMayCancelOrThrow() {
    List<String> many = Collections.nCopies(50_000, "two birds fly over the old house");
    AtomicReference<Cancel> flag = new AtomicReference<>();
    flag.set(new Cancel((what, done, total) -> flag.get().trigger()));
    IllegalStateException own = new IllegalStateException("a listener that fails");
    Cancel throwing =
        new Cancel(
            (what, done, total) -> {
              throw own;
            });
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      fails(
          Kind.CANCELLED,
          "",
          () -> encoder.encode(many, EncodeOptions.defaults().withCancel(flag.get())));
      assertSame(
          own,
          assertThrows(
              IllegalStateException.class,
              () -> encoder.encode(many, EncodeOptions.defaults().withCancel(throwing))));
      assertFalse(throwing.isTriggered(), "only the call of the listener stops");
      assertEquals(32, encoder.encode("a").length);
    }
  }
}
