package examples;

import io.contrastive.EncodeOptions;
import io.contrastive.Metric;
import io.contrastive.Search;
import io.contrastive.SentenceEncoder;
import io.contrastive.Vectors;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Embeds the lines of a file and finds those nearest in meaning to each question. */
public final class EmbedAndSearch {
  private EmbedAndSearch() {}

  /** MODEL CORPUS.txt QUESTION... */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3)
      throw new IllegalArgumentException("usage: EmbedAndSearch MODEL CORPUS.txt QUESTION...");
    search(
        Path.of(arguments[0]),
        Path.of(arguments[1]),
        Arrays.asList(arguments).subList(2, arguments.length),
        System.out);
  }

  static void search(Path model, Path corpusFile, List<String> questions, PrintStream out)
      throws IOException {
    List<String> corpus = Files.readAllLines(corpusFile);
    try (SentenceEncoder encoder = SentenceEncoder.load(model)) {
      // The library writes and reads a direct buffer in place, so a large corpus is not copied.
      FloatBuffer vectors = Vectors.allocate(corpus.size(), encoder.dimension());
      encoder.encode(corpus, EncodeOptions.defaults(), vectors);
      Search.Hits[] hits =
          Search.nearest(
              Vectors.of(encoder.encode(questions)),
              Vectors.of(vectors, encoder.dimension()),
              3,
              Metric.COSINE,
              null);
      for (int i = 0; i < hits.length; i++) {
        out.println(questions.get(i));
        for (int j = 0; j < hits[i].size(); j++)
          out.printf("  %.3f  %s%n", hits[i].scores()[j], corpus.get(hits[i].indices()[j]));
      }
    }
  }
}
