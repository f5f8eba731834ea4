package io.contrastive;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes options as text, without those that are not set: null and 0. */
final class OptionList {
  private final StringJoiner set;

  OptionList(String name) {
    set = new StringJoiner(", ", name + "[", "]");
  }

  OptionList add(String name, @Nullable Object value) {
    if (value != null && !value.equals(0)) set.add(name + "=" + value);
    return this;
  }

  @Override
  public String toString() {
    return set.toString();
  }
}
