package io.contrastive;

import java.util.Collections;
import java.util.Map;

/**
 * Measures an encoder.
 *
 * <pre>{@code
 * double spearman = Evaluator.evaluate(encoder, "sts", Config.of("data", "sts-benchmark/test.tsv")).figure("spearman", "all");
 * }</pre>
 *
 * <p>Tasks: "sts" (correlation with human scores), "retrieval" (recall, MRR, nDCG), "geometry" (alignment and uniformity).
 */
public final class Evaluator {
  private Evaluator() {}

  /** What was measured: as JSON, and as nested maps. */
  public record Report(String json) {
    /** Objects are maps, numbers Double. */
    public Map<String, Object> toMap() {
      return Collections.unmodifiableMap(Json.object(json));
    }

    /** One number by the names that lead to it: {@code figure("spearman", "all")}. NaN where it could not be computed. */
    public double figure(String... path) {
      Object at = toMap();
      for (String name : path) {
        if (!(at instanceof Map<?, ?> members) || !members.containsKey(name)) {
          throw ContrastiveException.argument("the report has no '" + String.join(".", path) + "': " + json);
        }
        at = members.get(name);
      }
      if (at instanceof Double number) return number;
      if (at == null) return Double.NaN;
      throw ContrastiveException.argument("'" + String.join(".", path) + "' is no number in the report: " + json);
    }
  }

  /** Measures an encoder on a task. @param config keys of {@code Config.describe(task)} */
  public static Report evaluate(SentenceEncoder encoder, String task, Config config) {
    return evaluate(encoder, task, config, null);
  }

  /** The same with a flag that stops it; nullable. */
  public static Report evaluate(SentenceEncoder encoder, String task, Config config, Cancel cancel) {
    ContrastiveException.required(task, "task");
    ContrastiveException.required(config, "config");
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Report(encoder.handle().use(model -> CallScope.run(cancel, flag -> Native.cs_evaluate(model, task, borrowed.handle, flag))));
    }
  }
}
