package io.contrastive;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The results of {@link SentenceEncoder#evaluate}, {@link SentenceEncoder#mine} or {@link
 * SentenceEncoder#adapt}, as JSON and as nested maps.
 *
 * @param json the whole report
 */
public record Report(String json) {
  /** Wraps the JSON of a report, for example a stored one. */
  public Report {
    ContrastiveException.required(json, "json");
  }

  /** The report as nested maps. Numbers are Double. */
  public Map<String, Object> toMap() {
    return Collections.unmodifiableMap(Json.object(json));
  }

  /**
   * A number by its path of names: {@code number("spearman", "all")}. Empty if it is not in the
   * report or could not be computed.
   */
  public OptionalDouble number(String... path) {
    return find(path) instanceof Double number ? OptionalDouble.of(number) : OptionalDouble.empty();
  }

  /** A string by its path of names: {@code text("reason")}. */
  public String text(String... path) {
    if (find(path) instanceof String text) return text;
    throw ContrastiveException.argument(
        "'" + String.join(".", path) + "' is not a text in the report: " + json);
  }

  /** A boolean by its path of names: {@code flag("shipped")}. */
  public boolean flag(String... path) {
    if (find(path) instanceof Boolean flag) return flag;
    throw ContrastiveException.argument(
        "'" + String.join(".", path) + "' is neither true nor false in the report: " + json);
  }

  private Object find(String... path) {
    Object at = Json.object(json);
    for (String name : ContrastiveException.required(path, "path"))
      at = at instanceof Map<?, ?> members ? members.get(name) : null;
    return at;
  }

  @Override
  public String toString() {
    return json;
  }
}
