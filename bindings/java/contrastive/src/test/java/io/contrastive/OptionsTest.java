package io.contrastive;

import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class OptionsTest {
  @Test
  void typedOptionsAreTheSameAsKeys() {
    TrainOptions options =
        TrainOptions.defaults()
            .withSeed(7)
            .withLearningRate(2e-5)
            .withSchedule(TrainOptions.Schedule.WARMUP_LINEAR)
            .withOptimizer(TrainOptions.Optimizer.ADAMW_HF)
            .withMaxSteps(0)
            .withGradientCheckpointing(false)
            .withMaxLength(64)
            .withMatryoshkaDims(384, 128)
            .withDev(Path.of("dev.tsv"));
    Config expected =
        Config.of(
            "method", "mnrl", "seed", 7, "lr", 2e-5, "schedule", "warmup-linear", "optimizer",
            "adamw-hf", "max_steps", 0, "gradient_checkpointing", false, "mnrl.max_length", 64,
            "matryoshka.dims", List.of(384, 128), "dev", "dev.tsv");
    assertEquals(expected, options.toConfig());
    assertEquals(expected.toJson(), options.toString());
    Config other = options.withMethod(TrainOptions.Method.SIMCSE).withTemperature(0.05).toConfig();
    assertEquals("simcse", other.toMap().get("method"));
    assertEquals(64.0, other.toMap().get("simcse.max_length"));
    assertEquals(0.05, other.toMap().get("simcse.temperature"));
    assertEquals(expected, options.toConfig(), "the original has changed");
    assertEquals(
        Config.of("method", "mnrl", "metric", "ndcg@10", "mining.num_negatives", 2),
        AdaptOptions.defaults()
            .withMetric(AdaptOptions.SearchMetric.NDCG_AT_10)
            .withNumNegatives(2)
            .toConfig());
    assertEquals(Config.of("method", "mnrl"), TrainOptions.defaults().toConfig());
  }

  @Test
  void wrongValuesAreRefused() {
    TrainOptions options = TrainOptions.defaults();
    assertThrows(NullPointerException.class, () -> options.withMethod(null));
    assertThrows(NullPointerException.class, () -> options.withDev(null));
    fails(
        ContrastiveException.Kind.ARGUMENT,
        "lr",
        () -> options.withLearningRate(Double.NaN).toConfig());
  }

  @Test
  void everyOptionHasAKeyOfItsOwn() throws ReflectiveOperationException {
    for (Object start : List.of(TrainOptions.defaults(), AdaptOptions.defaults())) {
      Object options = start;
      int made = 0;
      for (Method method : start.getClass().getMethods()) {
        if (!method.getName().startsWith("with")) continue;
        options = method.invoke(options, sample(method.getParameterTypes()[0]));
        made++;
      }
      Config config = (Config) start.getClass().getMethod("toConfig").invoke(options);
      assertTrue(made > 20, start.getClass() + " has " + made + " options");
      assertEquals(made, config.toMap().size(), config.toJson());
    }
  }

  private static Object sample(Class<?> type) {
    if (type.isEnum()) return type.getEnumConstants()[0];
    if (type == int[].class) return new int[] {8};
    if (type == Path.class) return Path.of("a");
    if (type == String.class) return "a";
    if (type == boolean.class) return true;
    if (type == double.class) return 0.5;
    if (type == long.class) return 1L;
    return 1;
  }
}
