import io.contrastive.Contrastive;
import io.contrastive.EncodeOptions;
import io.contrastive.Metric;
import io.contrastive.SentenceEncoder;
import io.contrastive.Similarity;
import io.contrastive.Vectors;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;

/** What calls cost from Java: the same as overhead.c, in place and with fresh results; best of 30 blocks after as many to warm up. */
final class Overhead {
  private static final int ROWS = 1000;
  private static final int COLUMNS = 384;
  static Object sink;  // keeps results alive

  private Overhead() {}

  public static void main(String[] arguments) {
    Contrastive.setThreads(1);
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]))) {
      List<String> text = List.of("the cat sat on the mat.");
      FloatBuffer direct = Vectors.allocate(1, 32);
      float[] array = new float[32];
      EncodeOptions options = EncodeOptions.defaults();
      measure("bare_call", 100_000, () -> encoder.dimension());
      measure("one_text direct", 2_000, () -> encoder.encode(text, options, direct));
      measure("one_text array", 2_000, () -> encoder.encode(text, options, array));
      measure("one_text fresh", 2_000, () -> sink = encoder.encode(text));
    }
    Vectors left = Vectors.of(new float[ROWS], 1);
    Vectors right = Vectors.of(new float[COLUMNS], 1);
    FloatBuffer scores = Vectors.allocate(ROWS, COLUMNS);
    measure("floats_out direct", 100, () -> Similarity.matrix(left, right, Metric.DOT, scores));
    measure("floats_out fresh", 100, () -> sink = Similarity.matrix(left, right, Metric.DOT));
    float[][] rows = new float[ROWS][COLUMNS];
    FloatBuffer corpus = Vectors.allocate(ROWS, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      rows[i / COLUMNS][i % COLUMNS] = i % 7;
      corpus.put(i, i % 7);
    }
    Vectors query = Vectors.of(rows[0], COLUMNS);
    Vectors inPlace = Vectors.of(corpus, COLUMNS);
    FloatBuffer out = Vectors.allocate(1, ROWS);
    measure("floats_in direct", 100, () -> Similarity.matrix(query, inPlace, Metric.DOT, out));
    measure("floats_in rows", 100, () -> Similarity.matrix(query, Vectors.of(rows), Metric.DOT, out));
  }

  private static void measure(String name, int calls, Runnable call) {
    double best = Double.MAX_VALUE;
    for (int block = 0; block < 60; block++) {
      long begin = System.nanoTime();
      for (int i = 0; i < calls; i++) call.run();
      double each = (double) (System.nanoTime() - begin) / calls;
      if (block >= 30) best = Math.min(best, each);
    }
    System.out.printf("%s %.1f%n", name, best);
  }
}
