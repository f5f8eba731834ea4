package examples.spark;

import io.contrastive.Config;
import io.contrastive.EncodeOptions;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * The serializable settings that are sent to the executors. They have no native handle, which would
 * be meaningless in another process.
 *
 * @param model a folder that every executor can read at this path
 * @param config keys of {@code Config.describe("model")}, such as precision and invalid_utf8
 * @param prompt a prompt that is put before every text; {@code null}: the model's default
 * @param maxLength the maximum number of tokens of a text; 0: the model's own limit
 * @param truncateDim the number of floats of an embedding to keep; 0: all
 */
public record EncodeSettings(
    String model, TreeMap<String, String> config, String prompt, int maxLength, int truncateDim)
    implements Serializable {
  private static final long serialVersionUID = 1;

  /** Everything as the model says. */
  public static EncodeSettings of(String model) {
    return new EncodeSettings(model, new TreeMap<>(), null, 0, 0);
  }

  /** The same with a key of the model's config. */
  public EncodeSettings with(String key, String value) {
    TreeMap<String, String> copy = new TreeMap<>(config);
    copy.put(key, value);
    return new EncodeSettings(model, copy, prompt, maxLength, truncateDim);
  }

  EncodeOptions options() {
    return EncodeOptions.defaults()
        .withPrompt(prompt)
        .withMaxLength(maxLength)
        .withTruncateDim(truncateDim);
  }

  /** Whether a text that is not UTF-8 is an error; else its bad bytes read as U+FFFD. */
  boolean refusesMalformed() {
    return "error".equals(config.get("invalid_utf8"));
  }

  Config modelConfig() {
    return typed(config);
  }

  /** A config of keys with values as a job's command line has them. */
  static Config typed(Map<String, String> settings) {
    Config config = Config.empty();
    for (Map.Entry<String, String> setting : settings.entrySet())
      config = config.withTyped(setting.getKey(), setting.getValue());
    return config;
  }
}
