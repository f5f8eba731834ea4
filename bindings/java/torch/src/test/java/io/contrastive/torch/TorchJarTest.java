package io.contrastive.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.contrastive.BuildInfo;
import io.contrastive.Config;
import io.contrastive.Example;
import io.contrastive.SentenceEncoder;
import io.contrastive.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trains with the LibTorch of the dependencies. */
class TorchJarTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("contrastive.cache"), "libtorch-2.10.0-1.5.13");
  private static final Path PLUGIN =
      Path.of(
          System.getProperty("contrastive.natives"),
          "io/contrastive/native/linux-x86_64/libcontrastive-torch-2.10.so.0");

  /** Without a plugin for this LibTorch in the natives, the reason names both versions. */
  @Test
  void theUnpackedLibTorchIsUsed() throws IOException {
    BuildInfo info = BuildInfo.get();
    assertTrue(Files.size(FOLDER.resolve("libtorch_cpu.so")) > 300_000_000);
    if (!Files.exists(PLUGIN)) {
      assertEquals("", info.libtorch());
      assertTrue(info.libtorchReason().contains(FOLDER.toString()), info.libtorchReason());
      assertTrue(info.libtorchReason().contains("2.10.0"), info.libtorchReason());
      return;
    }
    assertEquals(FOLDER.toString(), info.libtorchPath());
    Path model = Path.of(System.getProperty("contrastive.fixtures"), "models", "bert_st");
    Config config = Config.of("method", "mnrl", "max_steps", 1);
    try (SentenceEncoder encoder = SentenceEncoder.load(model);
        Trainer trainer = Trainer.start(encoder, null, config)) {
      List<Example> batch =
          List.of(Example.pair("the cat sat", "a cat sits"), Example.pair("a dog", "the dog"));
      assertTrue(trainer.batch(batch));
      assertEquals(1, trainer.metric("step"));
      assertTrue(Double.isFinite(trainer.metric("loss")));
    }
  }
}
