package io.contrastive;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/**
 * One handle of the C API and how many use it: its owner, until closed or collected, and every call
 * that runs on it. The last to let go frees it, so closing during a call and collection during a
 * call are safe, and closing twice does nothing.
 *
 * <p>Collection means this object's, not its owner's: the owner may be unreachable as soon as a
 * call has read its field, before the use is counted, and must not be taken for closed then. This
 * object is reachable until it is.
 */
final class NativeHandle {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Uses uses;
  private final Cleaner.Cleanable cleanable;

  /** What outlives the handle: the cleaner holds it, and so it must not hold the handle. */
  private static final class Uses implements Runnable {
    private final String what;
    private final long pointer;
    private final LongConsumer free;
    private final AtomicLong count = new AtomicLong(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    Uses(String what, long pointer, LongConsumer free) {
      this.what = what;
      this.pointer = pointer;
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
      if (count.decrementAndGet() == 0) free.accept(pointer);
    }

    /** The owner lets go: it was closed, or nobody can reach it any more. */
    @Override
    public void run() {
      if (closed.compareAndSet(false, true)) end();
    }
  }

  /**
   * A handle of an object that messages call `what`; freed at the latest when this is collected.
   * `free` must not hold this or the object.
   */
  NativeHandle(String what, long pointer, LongConsumer free) {
    uses = new Uses(what, pointer, free);
    cleanable = CLEANER.register(this, uses);
  }

  private long acquire() {
    try {
      return uses.begin();
    } finally {
      Reference.reachabilityFence(this); // or the cleaner could come between the call and its count
    }
  }

  /** A call on the pointer. */
  <T> T use(LongFunction<T> call) {
    Uses held = uses;
    long pointer = acquire();
    try {
      return call.apply(pointer);
    } finally {
      held.end();
    }
  }

  /** The same for a call that answers with a number or status. */
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
