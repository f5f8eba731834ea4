package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class IndexTest {
  private static final List<String> TEXTS =
      List.of("the cat sat", "a \"dog\"\nruns \\ 😀", "two\0birds \u2028fly", "", "\ud83d alone");

  @TempDir Path folder;

  @Test
  void aTextFindsItself() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      Index index = Index.of(encoder, TEXTS);
      assertEquals("Index[5 texts, dimension 32]", index.toString());
      List<Index.Hit> hits = index.search(encoder, TEXTS.get(2), 3);
      assertEquals(3, hits.size());
      assertEquals(2, hits.get(0).index());
      assertEquals(TEXTS.get(2), hits.get(0).text());
      assertEquals(1, hits.get(0).score(), 1e-5);
      assertArrayEquals(encoder.encode(TEXTS).clone()[4], index.vector(4));
      assertEquals(5, index.search(index.vector(0), 100, Metric.DOT).size());
      fails(Kind.ARGUMENT, "dimension", () -> index.search(new float[3], 1, Metric.DOT));
      Index empty = Index.of(encoder, List.of());
      empty.save(folder);
      assertEquals(List.of(), Index.load(folder).search(encoder, "anything", 3));
    }
  }

  @Test
  void aSavedIndexIsTheSame() throws IOException {
    float[][] vectors = {{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, 2}};
    Path saved = folder.resolve("new/index");
    Index.of(TEXTS, vectors).save(saved);
    Index loaded = Index.load(saved);
    assertEquals(TEXTS, loaded.texts());
    assertArrayEquals(vectors[4], loaded.vector(4));
    assertEquals(
        List.of(new Index.Hit(4, TEXTS.get(4), 2), new Index.Hit(1, TEXTS.get(1), 1)),
        loaded.search(new float[] {0, 1}, 5, Metric.DOT).stream()
            .filter(hit -> hit.index() == 4 || hit.index() == 1)
            .toList());
    assertTrue(Files.readString(saved.resolve("index.json")).startsWith("{\"metric\": \"cosine\""));
    Index.of(List.of("one"), new float[][] {{1, 2}}).save(saved);
    assertEquals(List.of("one"), Index.load(saved).texts(), "saving replaces");
    try (var files = Files.list(saved)) {
      assertEquals(2, files.count());
    }
  }

  @Test
  void mistakesAreTold() throws IOException {
    fails(Kind.MISMATCH, "1 texts and 2 vectors", () -> Index.of(List.of("a"), new float[2][2]));
    fails(Kind.NOT_FOUND, "vectors.npy", () -> Index.load(folder.resolve("none")));
    Index.of(List.of("a", "b"), new float[2][2]).save(folder);
    Path file = folder.resolve("index.json");
    Files.writeString(file, "{\"metric\": \"cosine\", \"texts\": [\"a\"]}");
    fails(Kind.MISMATCH, "1 texts and 2 vectors", () -> Index.load(folder));
    Files.writeString(file, "{\"metric\": \"dot\", \"texts\": [\"a\", \"b\"]}");
    fails(Kind.UNSUPPORTED, "the metric of this index is dot", () -> Index.load(folder));
    Files.writeString(file, "{\"metric\": \"cosine\", \"texts\": [\"a\", ");
    fails(Kind.FORMAT, "index.json is not the file of an index", () -> Index.load(folder));
    Files.delete(file);
    fails(Kind.NOT_FOUND, "index.json is missing", () -> Index.load(folder));
  }
}
