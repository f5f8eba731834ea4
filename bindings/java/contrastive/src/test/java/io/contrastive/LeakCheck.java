package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Checks that every test ends with as many native objects as it began with, even if calls fail. */
final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
  private long before;

  @Override
  public void beforeEach(ExtensionContext context) {
    before = Library.liveHandles();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertEquals(before, Library.liveHandles(), "native objects leaked");
  }
}
