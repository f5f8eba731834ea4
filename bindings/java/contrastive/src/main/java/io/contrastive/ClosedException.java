package io.contrastive;

/** Thrown when an object is used after it was closed. The library was not called. */
public final class ClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  ClosedException(String what) {
    super(what + " is closed");
  }
}
