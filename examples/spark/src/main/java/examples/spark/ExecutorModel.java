package examples.spark;

import io.contrastive.EncodeOptions;
import io.contrastive.Library;
import io.contrastive.ModelInfo;
import io.contrastive.SentenceEncoder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;

/**
 * The model of an executor. The first task loads it, and all tasks share it until the process ends.
 */
final class ExecutorModel {
  private static final Map<EncodeSettings, ExecutorModel> LOADED = new HashMap<>();

  final SentenceEncoder encoder;
  final EncodeOptions options;
  final int maxLength; // the maximum number of tokens of a text
  private final Map<String, String> metadata;

  private ExecutorModel(EncodeSettings settings) {
    encoder = SentenceEncoder.load(Path.of(settings.model()), settings.modelConfig());
    options = settings.options();
    maxLength =
        settings.maxLength() > 0
            ? Math.min(settings.maxLength(), encoder.maxLength())
            : encoder.maxLength();
    encoder.encode(
        List.of("a"),
        options); // invalid options fail the task, because they are not the fault of a row
    metadata = describe(settings);
  }

  /** Loads it if this process has not. A load that failed is tried again by the next task. */
  static ExecutorModel of(EncodeSettings settings) {
    synchronized (LOADED) { // other tasks wait, because they need the model
      ExecutorModel model = LOADED.get(settings);
      if (model == null) {
        model = new ExecutorModel(settings);
        LOADED.put(settings, model);
      }
      // An executor runs as many tasks at once as its cores allow, so each call uses only the cores
      // of one task.
      TaskContext task = TaskContext.get();
      if (task != null) Library.setThreads(task.cpus());
      return model;
    }
  }

  /** How many models this process has loaded: the tests hold it at one. */
  static int loaded() {
    synchronized (LOADED) {
      return LOADED.size();
    }
  }

  /**
   * The keys of the output contract (capi/program/shards/OUTPUT_CONTRACT.md) that depend on the
   * model and the library.
   */
  TreeMap<String, String> metadata() {
    return new TreeMap<>(metadata);
  }

  private Map<String, String> describe(EncodeSettings settings) {
    ModelInfo info = encoder.info();
    Map<String, String> keys = new HashMap<>();
    keys.put("contrastive.contract", "1");
    keys.put("contrastive.library_version", Library.version());
    keys.put("contrastive.model_fingerprint", info.fingerprint());
    keys.put("contrastive.precision", info.precision());
    keys.put("contrastive.pooling", String.join("+", info.pooling()));
    keys.put("contrastive.normalized", String.valueOf(info.normalize()));
    keys.put("contrastive.dimension", String.valueOf(encoder.dimension(options)));
    keys.put(
        "contrastive.prompt",
        settings.prompt() != null
            ? settings.prompt()
            : info.defaultPromptName().map(info.prompts()::get).orElse(""));
    keys.put("contrastive.max_length", String.valueOf(maxLength));
    return keys;
  }
}
