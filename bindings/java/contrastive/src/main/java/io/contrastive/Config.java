package io.contrastive;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a method, optimizer, task or model: dotted keys with values. A config is
 * immutable: {@link #with} returns a changed copy. It does not need to be closed.
 *
 * <pre>{@code
 * Config config = Config.of("method", "mnrl", "batch_size", 64).with("mnrl.scale", 20);
 * }</pre>
 *
 * <p>{@link #describe} lists the keys and their defaults. Values are checked when a config is used.
 * The error for a misspelt key suggests the nearest one.
 */
public final class Config {
  private static final Config EMPTY = new Config("{}");

  private final String json; // as cs_config_to_json writes it

  private Config(String json) {
    this.json = json;
  }

  /**
   * A key of a topic: its type, default, range or values, unit, and what it does. Components that
   * do not apply to a key are {@code null}.
   */
  public record Key(
      String key,
      String type,
      @Nullable Object defaultValue,
      @Nullable String range,
      @Nullable List<String> values,
      @Nullable String unit,
      String help,
      @Nullable String source) {}

  /** A config without keys: every option has its default. */
  public static Config empty() {
    return EMPTY;
  }

  /**
   * Reads a JSON object. Nested objects and dotted keys are equivalent: {@code {"clsr":
   * {"temperature": 0.1}}} is {@code {"clsr.temperature": 0.1}}.
   */
  public static Config parse(String json) {
    ContrastiveException.required(json, "json");
    return edit(json, handle -> {});
  }

  /** A config of alternating keys and values, as {@link #with(String, Object)} takes them. */
  public static Config of(Object... keysAndValues) {
    if (ContrastiveException.required(keysAndValues, "keysAndValues").length % 2 != 0)
      throw ContrastiveException.argument("the last key has no value");
    return edit(
        EMPTY.json,
        handle -> {
          for (int i = 0; i < keysAndValues.length; i += 2) {
            Object key = ContrastiveException.required(keysAndValues[i], "a key");
            if (!(key instanceof String name))
              throw ContrastiveException.argument(
                  "a config key is a String, not " + key.getClass());
            set(handle, name, keysAndValues[i + 1]);
          }
        });
  }

  /** A config with the entries of a map. */
  public static Config of(Map<String, ?> entries) {
    ContrastiveException.required(entries, "entries");
    return edit(EMPTY.json, handle -> entries.forEach((key, value) -> set(handle, key, value)));
  }

  /**
   * A copy in which a key has this value: a string, {@link Path}, finite number or boolean, or a
   * list or array of these. A string is never converted to another type. The entries of a map or
   * config become keys below this one, and an {@link java.util.Optional} is replaced by its value.
   * Any other value is an error of kind ARGUMENT. So is an empty Optional: leave the key out
   * instead.
   */
  public Config with(String key, Object value) {
    return edit(json, handle -> set(handle, key, value));
  }

  /**
   * A copy in which a key has a value as typed on a command line, as in KEY=VALUE: a number,
   * boolean or list if it is valid JSON, otherwise a string.
   */
  public Config withTyped(String key, String typed) {
    ContrastiveException.required(key, "key");
    ContrastiveException.required(typed, "typed");
    return edit(json, handle -> Native.cs_config_set(handle, key, typed));
  }

  /** A copy with the entries of another config added. They replace entries with the same keys. */
  public Config with(Config other) {
    ContrastiveException.required(other, "other");
    return edit(
        json,
        handle -> {
          try (Borrowed overlay = new Borrowed(other)) {
            Native.cs_config_merge(handle, overlay.handle);
          }
        });
  }

  /** The config as one flat JSON object with sorted keys. */
  public String toJson() {
    return json;
  }

  /** The entries. Values are String, Double, Boolean, or List of these. */
  public Map<String, Object> toMap() {
    return Collections.unmodifiableMap(Json.object(json));
  }

  /**
   * The keys of a topic: "model" ({@link SentenceEncoder#load}), "recipe" ({@link
   * SentenceEncoder#create}), "vocabulary" ({@link Vocabulary#train}), "data" ({@link
   * Dataset#open}), "train" ({@link Trainer}: the keys of all methods), the name of a method
   * ("clsr"), or of a task ("sts": {@link SentenceEncoder#evaluate}).
   */
  public static List<Key> describe(String topic) {
    return keys(
        Json.list(Native.cs_config_describe(ContrastiveException.required(topic, "topic"))));
  }

  /** The keys of all topics, by topic name. */
  public static Map<String, List<Key>> describeAll() {
    Map<String, List<Key>> topics = new LinkedHashMap<>();
    Json.object(Native.cs_config_describe(null))
        .forEach((topic, keys) -> topics.put(topic, keys((List<?>) keys)));
    return Collections.unmodifiableMap(topics);
  }

  @SuppressWarnings("unchecked")
  private static List<Key> keys(List<?> described) {
    return described.stream()
        .map(item -> (Map<String, Object>) item)
        .map(
            key ->
                new Key(
                    (String) key.get("key"),
                    (String) key.get("type"),
                    key.get("default"),
                    (String) key.get("range"),
                    (List<String>) key.get("values"),
                    (String) key.get("unit"),
                    (String) key.get("help"),
                    (String) key.get("source")))
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Config config && config.json.equals(json);
  }

  @Override
  public int hashCode() {
    return json.hashCode();
  }

  @Override
  public String toString() {
    return json;
  }

  private interface Edit {
    void apply(long handle);
  }

  private static Config edit(String json, Edit edit) {
    long handle = Native.cs_config_parse(json);
    try {
      edit.apply(handle);
      return new Config(Native.cs_config_to_json(handle));
    } finally {
      Native.cs_config_free(handle);
    }
  }

  private static void set(long handle, String key, Object value) {
    ContrastiveException.required(key, "key");
    ContrastiveException.required(value, "the value of " + key);
    long one = Native.cs_config_parse("{" + Json.quote(key) + ":" + Json.write(key, value) + "}");
    try {
      Native.cs_config_merge(handle, one);
    } finally {
      Native.cs_config_free(one);
    }
  }

  /** A native config that lives for one call. The handle is 0 if there is no config. */
  static final class Borrowed implements AutoCloseable {
    final long handle;

    Borrowed(Config config) {
      handle = config == null ? 0 : Native.cs_config_parse(config.json);
    }

    /** Adds the kind of model that the caller loads: "encoder" or "reranker". */
    Borrowed(Config config, String kind) {
      handle = Native.cs_config_parse(config == null ? EMPTY.json : config.json);
      try {
        Native.cs_config_set(handle, "kind", kind);
      } catch (RuntimeException failure) {
        Native.cs_config_free(handle);
        throw failure;
      }
    }

    @Override
    public void close() {
      Native.cs_config_free(handle);
    }
  }
}
