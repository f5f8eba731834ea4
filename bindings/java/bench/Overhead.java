import io.contrastive.EncodeOptions;
import io.contrastive.Library;
import io.contrastive.Metric;
import io.contrastive.SentenceEncoder;
import io.contrastive.Similarity;
import io.contrastive.Vectors;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Measures what calls from Java cost more than the same calls in C (bindings/bench/reference.c),
 * made in the same process. Arguments: MODEL REFERENCE. Prints a table, and ends with exit status 1
 * if a call costs more than its limit.
 */
final class Overhead {
  private static final int ROWS = 1000;
  private static final int COLUMNS = 384;
  private static final int BARE_CALL = 0;
  private static final int ONE_TEXT = 1;
  private static final int FLOATS_OUT = 2;
  private static final int FLOATS_IN = 3;
  private static final double ANY = Double.POSITIVE_INFINITY;
  static Object sink; // keeps results alive
  private static boolean exceeded;

  private Overhead() {}

  static native int open(String model);

  static native double inC(int which, int calls);

  public static void main(String[] arguments) {
    Library.setThreads(1);
    System.load(arguments[1]);
    if (open(arguments[0]) != 0) System.exit(1);
    System.out.println("| | C, us | above C, us | allowed, us |\n| --- | --- | --- | --- |");
    double oneText;
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]))) {
      List<String> text = List.of("the cat sat on the mat.");
      FloatBuffer direct = Vectors.allocate(1, 32);
      float[] array = new float[32];
      EncodeOptions options = EncodeOptions.defaults();
      measure("a call that does nothing", BARE_CALL, 2000, 300, 1, () -> encoder.dimension());
      oneText =
          measure(
              "1 text, into a direct buffer",
              ONE_TEXT,
              20,
              500,
              1,
              () -> encoder.encode(text, options, direct));
      measure(
          "1 text, into a float[]",
          ONE_TEXT,
          20,
          500,
          1,
          () -> encoder.encode(text, options, array));
      measure("1 text, fresh float[][]", ONE_TEXT, 20, 500, 3, () -> sink = encoder.encode(text));
    }
    Vectors left = Vectors.of(new float[ROWS], 1);
    Vectors right = Vectors.of(new float[COLUMNS], 1);
    FloatBuffer scores = Vectors.allocate(ROWS, COLUMNS);
    measure(
        "1,000 x 384 floats out, direct buffer",
        FLOATS_OUT,
        5,
        100,
        10,
        () -> Similarity.matrix(left, right, Metric.DOT, scores));
    measure(
        "1,000 x 384 floats out, fresh float[][]",
        FLOATS_OUT,
        5,
        100,
        ANY,
        () -> sink = Similarity.matrix(left, right, Metric.DOT));
    float[][] rows = new float[ROWS][COLUMNS];
    FloatBuffer corpus = Vectors.allocate(ROWS, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      rows[i / COLUMNS][i % COLUMNS] = i % 7;
      corpus.put(i, i % 7);
    }
    Vectors query = Vectors.of(rows[0], COLUMNS);
    Vectors inPlace = Vectors.of(corpus, COLUMNS);
    FloatBuffer out = Vectors.allocate(1, ROWS);
    measure(
        "1,000 x 384 floats in, direct buffer",
        FLOATS_IN,
        20,
        100,
        10,
        () -> Similarity.matrix(query, inPlace, Metric.DOT, out));
    measure(
        "1,000 x 384 floats in, float[][]",
        FLOATS_IN,
        20,
        100,
        ANY,
        () -> Similarity.matrix(query, Vectors.of(rows), Metric.DOT, out));
    System.out.printf("one text into the caller's memory: %+.2f us above C, at most 1%n", oneText);
    System.exit(exceeded ? 1 : 0);
  }

  /**
   * Medians over rounds of C, Java, Java, C: the time in C, and the difference within a round.
   * Other programs disturb only some rounds.
   */
  private static double measure(
      String name, int which, int calls, int rounds, double allowed, Runnable call) {
    inJava(calls * rounds, call); // compiled by then
    double[] c = new double[rounds];
    double[] above = new double[rounds];
    for (int attempt = 0;
        attempt == 0 || (attempt < 20 && above[rounds / 2] > limit(allowed, c[rounds / 2]));
        attempt++) {
      for (int i = 0; i < rounds; i++) {
        double first = inC(which, calls);
        double java = inJava(calls, call) + inJava(calls, call);
        c[i] = (first + inC(which, calls)) / 2000;
        above[i] = java / 2000 - c[i];
      }
      Arrays.sort(c);
      Arrays.sort(above);
    }
    double difference = above[rounds / 2];
    double limit = limit(allowed, c[rounds / 2]);
    System.out.printf(
        "| %s | %.3f | %+.3f | %s |%n",
        name, c[rounds / 2], difference, allowed == ANY ? "" : "%.0f".formatted(limit));
    if (difference > limit) {
      exceeded = true;
      System.out.printf(
          "Overhead: %s: %.3f us above C, at most %.3f is allowed%n", name, difference, limit);
    }
    return difference;
  }

  /**
   * The time of a long computation varies by a quarter on a busy machine, so this limit only
   * detects a copy of the floats.
   */
  private static double limit(double allowed, double c) {
    return c < 100 ? allowed : Math.max(allowed, c / 4);
  }

  private static double inJava(int calls, Runnable call) {
    long begin = System.nanoTime();
    for (int i = 0; i < calls; i++) call.run();
    return (double) (System.nanoTime() - begin) / calls;
  }
}
