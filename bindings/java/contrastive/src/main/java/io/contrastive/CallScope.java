package io.contrastive;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.function.LongFunction;

/**
 * A call that can be stopped: it has a cancel flag of the C API of its own, which its {@link
 * Cancel} raises, and so do an interrupt of the thread and the shutdown of the virtual machine. The
 * JDK tells about interrupts only to what it takes for a blocking channel, so a scope is one; no
 * thread watches.
 */
final class CallScope extends AbstractInterruptibleChannel {
  private final long flag = Native.cs_cancel_new();
  private volatile boolean shutDown;

  private CallScope() {}

  /** Makes a call, which is given the flag. */
  static <T> T run(Cancel cancel, LongFunction<T> call) {
    CallScope scope = new CallScope();
    Shutdown.join(scope);
    if (cancel != null) cancel.join(scope);
    ContrastiveException failure = null;
    boolean interrupted = false;
    scope.begin();
    try {
      return call.apply(scope.flag);
    } catch (ContrastiveException e) {
      failure = e;
    } finally {
      interrupted = scope.finish();
      if (cancel != null) cancel.leave(scope);
      Shutdown.leave(scope);
    }
    if (failure.kind() != ContrastiveException.Kind.CANCELLED) throw failure;
    if (interrupted) throw because("the thread was interrupted", failure);
    if (!scope.shutDown || (cancel != null && cancel.isTriggered())) throw failure;
    Shutdown.sleep();
    throw because("the virtual machine shuts down", failure);
  }

  private static ContrastiveException because(String reason, ContrastiveException failure) {
    return ContrastiveException.of(failure.kind(), reason + ": " + failure.getMessage(), failure);
  }

  /** For a call that is too short to be stopped halfway: fails where it should not begin. */
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
   * From any thread. A flag that was freed meanwhile is no flag any more, so being late does no
   * harm.
   */
  void raise() {
    Native.cs_cancel_trigger(flag);
  }

  /** The virtual machine shuts down. */
  void shutDown() {
    shutDown = true;
    raise();
  }

  @Override
  public int hashCode() {
    return Long.hashCode(flag); // cheaper than that of the object, which is made at its first use
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
   * Ends the call. @return whether its thread was interrupted meanwhile; the thread's interrupt
   * status stays set then
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
      Native.cs_cancel_free(flag);
    }
  }
}
