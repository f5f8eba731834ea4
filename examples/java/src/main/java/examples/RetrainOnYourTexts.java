package examples;

import io.contrastive.Config;
import io.contrastive.Dataset;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Trains an encoder on pairs of texts that belong together, and measures on held-out pairs whether
 * it finds the second text more often.
 */
public final class RetrainOnYourTexts {
  private RetrainOnYourTexts() {}

  /** MODEL PAIRS.tsv OUTPUT */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 3)
      throw new IllegalArgumentException("usage: RetrainOnYourTexts MODEL PAIRS.tsv OUTPUT");
    retrain(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]), System.out);
  }

  static void retrain(Path model, Path pairs, Path output, PrintStream out) throws IOException {
    List<String> lines = Files.readAllLines(pairs);
    int held = Math.max(2, lines.size() / 10); // every tenth pair is held out
    Path folder = Files.createTempDirectory("retrain-");
    Path test = Files.write(folder.resolve("test.tsv"), lines.subList(0, held));
    Path train = Files.write(folder.resolve("train.tsv"), lines.subList(held, lines.size()));
    Config config =
        Config.of(
            "method",
            "mnrl",
            "optimizer",
            "adamw",
            "lr",
            0.001,
            "batch_size",
            Math.min(128, (lines.size() - held) / 2),
            "epochs",
            10);
    try (SentenceEncoder encoder = SentenceEncoder.load(model);
        Dataset data = Dataset.open(train);
        Trainer trainer = Trainer.start(encoder, data, config)) {
      out.printf("%d pairs to train on, %d held out%n", data.size(), held);
      out.printf("before: recall@1 %.3f%n", recall(encoder, test));
      while (trainer.step()) {
        if (trainer.metric("step") % 10 == 0) {
          out.printf(
              "step %.0f of %.0f, loss %.4f%n",
              trainer.metric("step"), trainer.metric("total_steps"), trainer.metric("loss"));
        }
      }
      trainer.save(output);
    }
    try (SentenceEncoder retrained = SentenceEncoder.load(output)) {
      out.printf("after:  recall@1 %.3f, saved to %s%n", recall(retrained, test), output);
    }
    for (Path file : List.of(test, train, folder)) Files.delete(file);
  }

  private static double recall(SentenceEncoder encoder, Path pairs) {
    return encoder
        .evaluate("retrieval", Config.of("data", pairs, "k", List.of(1)))
        .number("recall@1")
        .getAsDouble();
  }
}
