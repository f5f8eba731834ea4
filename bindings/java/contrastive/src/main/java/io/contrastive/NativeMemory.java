package io.contrastive;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the memory of the models that are not freed yet. The garbage collector does not see it and
 * so has no reason to run. When a program has created much more than what survived the last
 * collection, some of it may be forgotten, and this class asks for a collection.
 */
final class NativeMemory {
  /** How much may be created between two collections, or as much as survived if that is more. */
  static final long BOUND = 256L << 20;

  private static final AtomicLong held = new AtomicLong();
  private static final AtomicLong survived = new AtomicLong(); // the last requested collection

  private NativeMemory() {}

  /** The memory of all models that are not freed yet. */
  static long held() {
    return held.get();
  }

  static void add(long bytes) {
    long now = held.addAndGet(bytes);
    long before = survived.get();
    if (now - before <= Math.max(BOUND, before)) return;
    if (!survived.compareAndSet(before, now)) return; // another thread asks for a collection
    System.gc(); // finds what was forgotten; the cleaner then calls remove()
  }

  static void remove(long bytes) {
    long now = held.addAndGet(-bytes);
    survived.accumulateAndGet(now, Math::min);
  }
}
