package io.contrastive;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/**
 * A reference-counted handle of the C API. The owner holds one reference until it is closed or
 * garbage-collected, and every running call holds one. The last release frees the handle, so
 * closing or collecting during a call is safe, and closing twice does nothing.
 *
 * <p>The cleaner watches this object, not its owner. The owner may become unreachable as soon as a
 * call has read its field, before the call's reference is counted. The handle must not be closed at
 * that moment. This object stays reachable until the reference is counted.
 */
final class NativeHandle {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Uses uses;
  private final Cleaner.Cleanable cleanable;

  /**
   * The state that outlives the handle. The cleaner references it, so it must not reference the
   * handle.
   */
  private static final class Uses implements Runnable {
    private final String what;
    private final long pointer;
    private final long bytes;
    private final LongConsumer free;
    private final AtomicLong count = new AtomicLong(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    Uses(String what, long pointer, long bytes, LongConsumer free) {
      this.what = what;
      this.pointer = pointer;
      this.bytes = bytes;
      this.free = free;
    }

    long begin() {
      for (; ; ) {
        long users = count.get();
        if (users == 0 || closed.get()) throw new ClosedException(what);
        if (count.compareAndSet(users, users + 1)) return pointer;
      }
    }

    void end() {
      if (count.decrementAndGet() != 0) return;
      free.accept(pointer);
      NativeMemory.remove(bytes);
    }

    /** Releases the owner's reference: it was closed or became unreachable. */
    @Override
    public void run() {
      if (closed.compareAndSet(false, true)) end();
    }
  }

  /** Wraps a handle of a small object. */
  NativeHandle(String what, long pointer, LongConsumer free) {
    this(what, pointer, 0, free);
  }

  /**
   * Wraps a handle. Error messages call the object `what`. The handle is freed at the latest when
   * this object is garbage-collected, so `free` must not reference this object or its owner.
   *
   * @param bytes roughly the native memory of the object
   */
  NativeHandle(String what, long pointer, long bytes, LongConsumer free) {
    uses = new Uses(what, pointer, bytes, free);
    cleanable = CLEANER.register(this, uses);
    if (bytes > 0) NativeMemory.add(bytes);
  }

  /** Wraps a handle of a model. */
  static NativeHandle ofModel(String what, long model) {
    return new NativeHandle(what, model, memoryOf(model), Native::cs_model_free);
  }

  /** The memory of a model's weights in bytes. */
  static long memoryOf(long model) {
    long bytes = Native.cs_model_memory(model);
    return bytes < 0 ? ContrastiveException.checked((int) bytes, "cs_model_memory") : bytes;
  }

  private long acquire() {
    try {
      return uses.begin();
    } finally {
      Reference.reachabilityFence(this); // or the cleaner could run before the call is counted
    }
  }

  /** Makes a call with the pointer. */
  <T> T use(LongFunction<T> call) {
    Uses held = uses;
    long pointer = acquire();
    try {
      return call.apply(pointer);
    } finally {
      held.end();
    }
  }

  /** Makes a call that returns a number or status. */
  int useInt(LongToIntFunction call) {
    Uses held = uses;
    long pointer = acquire();
    try {
      return call.applyAsInt(pointer);
    } finally {
      held.end();
    }
  }

  void close() {
    cleanable.clean();
  }
}
