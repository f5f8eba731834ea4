package io.contrastive;

import java.util.Collections;
import java.util.Map;

/**
 * What {@link SentenceEncoder#evaluate} measured or {@link SentenceEncoder#mine} found: as JSON, and as nested maps.
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
    ContrastiveException.required(path, "path");
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

  @Override
  public String toString() {
    return json;
  }
}
