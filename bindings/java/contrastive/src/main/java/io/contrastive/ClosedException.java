package io.contrastive;

/** An object was used after it was closed. No call of the library was made. */
public final class ClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  ClosedException(String what) {
    super(what + " is closed");
  }
}
