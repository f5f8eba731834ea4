package app;

import io.contrastive.BuildInfo;
import io.contrastive.SentenceEncoder;
import io.contrastive.Similarity;
import java.nio.file.Path;

/** Loads a model, compares texts, and prints what was loaded. */
public final class Main {
  private Main() {}

  /** MODEL */
  public static void main(String[] arguments) {
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]))) {
      float same = Similarity.cosine(encoder.encode("the cat sat"), encoder.encode("the cat sat"));
      float other =
          Similarity.cosine(encoder.encode("the cat sat"), encoder.encode("two birds fly"));
      if (Math.abs(same - 1) > 1e-6 || other > 0.999)
        throw new AssertionError(same + " and " + other);
      String module = SentenceEncoder.class.getModule().getName();
      BuildInfo info = BuildInfo.get();
      if (info.libtorch().isBlank()) throw new AssertionError(info.libtorchReason());
      System.out.printf(
          "%s: version %s, loaded %s%n",
          module == null ? "class path" : "module " + module, info.version(), info.loaded());
    }
  }
}
