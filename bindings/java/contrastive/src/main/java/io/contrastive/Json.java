package io.contrastive;

import java.io.File;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Parses JSON from the library into maps, lists, strings, Double, Boolean and null, and writes
 * config values as JSON. The parser assumes valid input, because only the library's own output is
 * parsed. A JSON library would be this package's only dependency and could cause version conflicts
 * in users' programs.
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

  static Members members(String json) {
    return new Members(object(json));
  }

  /** The members of an object. The library always writes all the members that are read here. */
  record Members(Map<String, Object> all) {
    String text(String key) {
      return (String) all.get(key);
    }

    /** A string member; the library writes "" if it has no value. */
    Optional<String> stated(String key) {
      return Optional.ofNullable(text(key)).filter(text -> !text.isEmpty());
    }

    int number(String key) {
      return (int) longNumber(key);
    }

    long longNumber(String key) {
      return ((Double) all.get(key)).longValue();
    }

    boolean flag(String key) {
      return (Boolean) all.get(key);
    }

    @SuppressWarnings("unchecked")
    List<String> texts(String key) {
      return List.copyOf((List<String>) all.get(key));
    }

    @SuppressWarnings("unchecked")
    Map<String, String> textsByName(String key) {
      return Map.copyOf((Map<String, String>) all.get(key));
    }
  }

  /**
   * Writes the value of a config key as JSON. Other types are refused instead of written with
   * toString(), which would set an unintended value.
   */
  static String write(String key, Object value) {
    StringBuilder out = new StringBuilder();
    new Writer(key, out).value(value);
    return out.toString();
  }

  private record Writer(String key, StringBuilder out) {
    void value(Object value) {
      if (value instanceof CharSequence
          || value instanceof Character
          || value instanceof Path
          || value instanceof File) {
        out.append(quote(value.toString()));
      } else if (value instanceof Boolean) {
        out.append(value);
      } else if (value instanceof Number number) {
        number(number);
      } else if (value instanceof Map<?, ?> members) {
        members(members);
      } else if (value instanceof Iterable<?> items) {
        list(items);
      } else if (value != null && value.getClass().isArray()) {
        list(
            IntStream.range(0, Array.getLength(value)).mapToObj(i -> Array.get(value, i)).toList());
      } else if (value instanceof Optional<?> optional && optional.isPresent()) {
        value(optional.get());
      } else if (value instanceof Config config) {
        out.append(config.toJson());
      } else {
        throw refused(value);
      }
    }

    private void number(Number number) {
      boolean finite =
          !(number instanceof Double || number instanceof Float)
              || Double.isFinite(number.doubleValue());
      try {
        if (finite) out.append(new BigDecimal(number.toString()));
      } catch (NumberFormatException e) {
        finite = false;
      }
      if (!finite) throw refused(number);
    }

    private void members(Map<?, ?> members) {
      String separator = "{";
      for (Map.Entry<?, ?> member : members.entrySet()) {
        if (!(member.getKey() instanceof String name)) throw refused(member.getKey());
        out.append(separator).append(quote(name)).append(':');
        value(member.getValue());
        separator = ",";
      }
      out.append(members.isEmpty() ? "{}" : "}");
    }

    private void list(Iterable<?> items) {
      out.append('[');
      String separator = "";
      for (Object item : items) {
        out.append(separator);
        value(item);
        separator = ",";
      }
      out.append(']');
    }

    private ContrastiveException refused(Object value) {
      String what =
          value == null || value instanceof Number || value instanceof Optional
              ? String.valueOf(value)
              : "an object of " + value.getClass();
      return ContrastiveException.argument(
          "config key '"
              + key
              + "' cannot be set to "
              + what
              + ": a value is a text, a Path, a finite number, a truth value, a list or array of"
              + " these, or a map of keys below this one");
    }
  }

  /** Quotes a string. A NUL is kept; the call that receives the JSON refuses it. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else if (c < ' ' && c != 0) quoted.append(String.format("\\u%04x", (int) c));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  private Object value() {
    skipSpace();
    switch (text.charAt(at)) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        return string();
      case 't':
        at += 4;
        return true;
      case 'f':
        at += 5;
        return false;
      case 'n':
        at += 4;
        return null;
      default:
        return number();
    }
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    for (boolean more = open('{', '}'); more; more = next('}')) {
      String key = string();
      skipSpace();
      at++; // the colon
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
    if (text.charAt(at) != begin)
      throw new IllegalArgumentException("no '" + begin + "' at " + at + " of " + text);
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
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
      default:
        return c;
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
