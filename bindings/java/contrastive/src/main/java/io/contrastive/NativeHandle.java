package io.contrastive;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/**
 * One handle of the C API and how many use it: its owner, until closed or collected, and every call that runs on it. The last to let go frees it,
 * so closing during a call and collection during a call are safe, and closing twice does nothing.
 */
final class NativeHandle {
  private static final Cleaner CLEANER = Cleaner.create();

  private final String what;
  private final long pointer;
  private final LongConsumer free;
  private final AtomicLong uses = new AtomicLong(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private Cleaner.Cleanable cleanable;

  private NativeHandle(String what, long pointer, LongConsumer free) {
    this.what = what;
    this.pointer = pointer;
    this.free = free;
  }

  /** A handle that is freed at the latest when `owner` is collected. `free` must not hold the owner. */
  static NativeHandle of(Object owner, long pointer, LongConsumer free) {
    NativeHandle handle = new NativeHandle(owner.getClass().getSimpleName(), pointer, free);
    handle.cleanable = CLEANER.register(owner, handle::dispose);
    return handle;
  }

  private long acquire() {
    for (;;) {
      long count = uses.get();
      if (count == 0 || closed.get()) throw ContrastiveException.of(ContrastiveException.Kind.HANDLE, what + " is closed", null);
      if (uses.compareAndSet(count, count + 1)) return pointer;
    }
  }

  private void release() {
    if (uses.decrementAndGet() == 0) free.accept(pointer);
  }

  /** A call on the pointer. */
  <T> T use(LongFunction<T> call) {
    long held = acquire();
    try {
      return call.apply(held);
    } finally {
      release();
    }
  }

  /** The same for a call that answers with a number or status. */
  int useInt(LongToIntFunction call) {
    long held = acquire();
    try {
      return call.applyAsInt(held);
    } finally {
      release();
    }
  }

  void close() {
    cleanable.clean();
  }

  private void dispose() {
    if (closed.compareAndSet(false, true)) release();
  }
}
