package io.contrastive;

import java.util.Collections;
import java.util.Map;

/**
 * What {@link SentenceEncoder#evaluate} measured, {@link SentenceEncoder#mine} found or {@link SentenceEncoder#adapt} did: as JSON, and as nested maps.
 *
 * @param json the whole report
 */
public record Report(String json) {
  /** Takes what {@link SentenceEncoder#evaluate} gave once. */
  public Report {
    ContrastiveException.required(json, "json");
  }

  /** Objects are maps, numbers Double. */
  public Map<String, Object> toMap() {
    return Collections.unmodifiableMap(Json.object(json));
  }

  /** One number by the names that lead to it: {@code number("spearman", "all")}. NaN where it could not be computed. */
  public double number(String... path) {
    Object at = at(path);
    if (at instanceof Double number) return number;
    if (at == null) return Double.NaN;
    throw ContrastiveException.argument("'" + String.join(".", path) + "' is no number in the report: " + json);
  }

  /** One text, by the names that lead to it: {@code text("reason")}. */
  public String text(String... path) {
    if (at(path) instanceof String text) return text;
    throw ContrastiveException.argument("'" + String.join(".", path) + "' is no text in the report: " + json);
  }

  /** One truth value, by the names that lead to it: {@code flag("shipped")}. */
  public boolean flag(String... path) {
    if (at(path) instanceof Boolean flag) return flag;
    throw ContrastiveException.argument("'" + String.join(".", path) + "' is neither true nor false in the report: " + json);
  }

  private Object at(String... path) {
    ContrastiveException.required(path, "path");
    Object at = toMap();
    for (String name : path) {
      if (!(at instanceof Map<?, ?> members) || !members.containsKey(name)) {
        throw ContrastiveException.argument("the report has no '" + String.join(".", path) + "': " + json);
      }
      at = members.get(name);
    }
    return at;
  }

  @Override
  public String toString() {
    return json;
  }
}
