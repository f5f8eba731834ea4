import io.contrastive.*;
import java.nio.file.Path;
import java.util.List;

/** One step of training, or why there is none. */
class Train {
  public static void main(String[] arguments) {
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of("all-MiniLM-L6-v2"));
        Trainer trainer =
            Trainer.start(
                encoder, null, Config.of("method", "clsr", "batch_size", 2, "max_steps", 1))) {
      trainer.batch(
          List.of(
              Example.pair("the cat sat", "a cat sits"),
              Example.pair("a dog runs", "the dog ran")));
      System.out.printf("trained %.0f step%n", trainer.metric("step"));
    } catch (ContrastiveException e) {
      System.out.println(e.kind() + ": " + e.getMessage());
    }
  }
}
