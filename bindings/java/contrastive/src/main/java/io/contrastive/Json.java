package io.contrastive;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the JSON that the library writes (which is why it trusts its form) into maps, lists, strings, Double, Boolean and null; and writes the few
 * forms of a config value. A JSON library would be the only dependency of this package, and a cause of version conflicts in its users' programs.
 */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Map<String, Object> object(String json) {
    return new Json(json).object();
  }

  static List<Object> list(String json) {
    return new Json(json).list();
  }

  /** A config value as cs_config_set takes it: JSON for numbers, truth values and lists, else the text itself. */
  static String configValue(Object value) {
    if (value instanceof Iterable<?> items) {
      StringBuilder list = new StringBuilder("[");
      for (Object item : items) list.append(list.length() > 1 ? "," : "").append(item instanceof Number ? item : quote(String.valueOf(item)));
      return list.append(']').toString();
    }
    return String.valueOf(value);
  }

  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  private Object value() {
    skipSpace();
    switch (text.charAt(at)) {
      case '{': return object();
      case '[': return list();
      case '"': return string();
      case 't': at += 4; return true;
      case 'f': at += 5; return false;
      case 'n': at += 4; return null;
      default: return number();
    }
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    for (boolean more = open('{', '}'); more; more = next('}')) {
      String key = string();
      skipSpace();
      at++;  // the colon
      members.put(key, value());
    }
    return members;
  }

  private List<Object> list() {
    List<Object> items = new ArrayList<>();
    for (boolean more = open('[', ']'); more; more = next(']')) items.add(value());
    return items;
  }

  private boolean open(char begin, char end) {
    skipSpace();
    if (text.charAt(at) != begin) throw new IllegalArgumentException("no '" + begin + "' at " + at + " of " + text);
    at++;
    skipSpace();
    if (text.charAt(at) != end) return true;
    at++;
    return false;
  }

  private boolean next(char end) {
    skipSpace();
    char c = text.charAt(at++);
    skipSpace();
    return c != end;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      out.append(c == '\\' ? escaped() : c);
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    char c = text.charAt(++at);
    switch (c) {
      case 'b': return '\b';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case 'u': at += 4; return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
      default: return c;
    }
  }

  private Double number() {
    int begin = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    return Double.valueOf(text.substring(begin, at));
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }
}
