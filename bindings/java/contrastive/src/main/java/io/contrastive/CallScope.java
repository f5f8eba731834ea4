package io.contrastive;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

/**
 * A cancellable call, whose progress may be listened to. It has its own cancel flag of the C API.
 * The flag is raised by the call's {@link Cancel}, by an interrupt of the thread, and by the
 * shutdown of the virtual machine. The JDK reports interrupts only to interruptible channels, so
 * this class is one. It needs no watcher thread.
 */
final class CallScope extends AbstractInterruptibleChannel {
  private static final Map<Long, Progress> LISTENED = new ConcurrentHashMap<>();

  private final long flag = Native.cs_cancel_new();
  private volatile boolean shutDown;
  private volatile Throwable thrown; // by the listener

  private CallScope() {}

  /** Makes a call and passes it the flag. */
  static <T> T run(Cancel cancel, LongFunction<T> call) {
    CallScope scope = new CallScope();
    Shutdown.join(scope);
    T result = null;
    ContrastiveException failure = null;
    boolean interrupted = false;
    if (cancel != null) cancel.join(scope);
    scope.begin();
    try {
      if (cancel != null && cancel.progress() != null) scope.listen(cancel.progress());
      result = call.apply(scope.flag);
    } catch (ContrastiveException e) {
      failure = e;
    } finally {
      interrupted = scope.finish();
      if (cancel != null) cancel.leave(scope);
      Shutdown.leave(scope);
    }
    if (scope.thrown instanceof RuntimeException e) throw e;
    if (scope.thrown instanceof Error e) throw e;
    if (failure == null) return result;
    if (failure.kind() != ContrastiveException.Kind.CANCELLED) throw failure;
    if (interrupted) throw because("the thread was interrupted", failure);
    if (!scope.shutDown || (cancel != null && cancel.isTriggered())) throw failure;
    Shutdown.sleep();
    throw because("the virtual machine shuts down", failure);
  }

  private void listen(Progress progress) {
    LISTENED.put(
        flag,
        (what, done, total) -> {
          try {
            progress.accept(what, done, total);
          } catch (RuntimeException | Error e) {
            thrown = e;
            raise();
          }
        });
    Native.cs_progress_start(flag);
  }

  /** Called by the JNI layer (jni/glue.cpp) with the flag of a call. */
  static void progress(long flag, byte[] what, long done, long total) {
    Progress listener = LISTENED.get(flag);
    if (listener != null) listener.accept(Utf8.decode(what), done, total);
  }

  private static ContrastiveException because(String reason, ContrastiveException failure) {
    return ContrastiveException.of(failure.kind(), reason + ": " + failure.getMessage(), failure);
  }

  /** For a call that is too short to be stopped midway. Throws if the call must not begin. */
  static void check(Cancel cancel) {
    if (cancel != null && cancel.isTriggered()) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.CANCELLED, "cancelled: the call was not begun", null);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.CANCELLED,
          "the thread was interrupted: the call was not begun",
          null);
    }
  }

  /**
   * Raises the flag; any thread may call this. If the flag was already freed, this does nothing.
   */
  void raise() {
    Native.cs_cancel_trigger(flag);
  }

  /** Stops the call because the virtual machine shuts down. */
  void shutDown() {
    shutDown = true;
    raise();
  }

  @Override
  public int hashCode() {
    return Long.hashCode(flag); // cheaper than the identity hash, which is computed on first use
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  protected void implCloseChannel() {
    raise();
  }

  /**
   * Ends the call.
   *
   * @return whether the thread was interrupted during the call; its interrupt status then stays set
   */
  private boolean finish() {
    try {
      end(true);
      return false;
    } catch (ClosedByInterruptException e) {
      return true;
    } catch (AsynchronousCloseException e) {
      return false; // only an interrupt closes a scope
    } finally {
      LISTENED.remove(flag);
      Native.cs_cancel_free(flag);
    }
  }
}
