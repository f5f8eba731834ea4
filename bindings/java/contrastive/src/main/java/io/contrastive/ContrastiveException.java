package io.contrastive;

import java.util.Objects;

/**
 * Thrown when a call of the library fails. Programs use {@link #kind()}. {@link #getMessage()}
 * tells people what is wrong, where, and what to do.
 *
 * <p>A failed call has changed nothing, unless its documentation or message says otherwise. A
 * {@code null} argument that is not allowed gives a {@link NullPointerException} with the name of
 * the argument instead. A closed object gives a {@link ClosedException}.
 */
public class ContrastiveException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The kind of error, one for each error status of {@code contrastive.h}. Later versions may add
   * kinds, so give a {@code switch} a default.
   */
  public enum Kind {
    /** An argument or a config value is not allowed. */
    ARGUMENT(-1),
    /**
     * The native library does not know the object. A closed object gives a {@link ClosedException}
     * instead.
     */
    HANDLE(-2),
    /**
     * The object cannot do this in its current state, for instance after an error that it could not
     * undo.
     */
    STATE(-3),
    /** Another thread or process uses the object: wait, and call again. */
    BUSY(-4),
    /** The buffer is too small; nothing was written. */
    BUFFER(-5),
    /** A file, folder, tensor or key does not exist. */
    NOT_FOUND(-6),
    /** The operating system refused a read or write. */
    IO(-7),
    /** The disk or quota is full. The folder that was to be replaced is intact. */
    NO_SPACE(-8),
    /** A file or a JSON text is malformed. The message gives the position. */
    FORMAT(-9),
    /**
     * The input is well-formed, but the library does not support it; or training is not installed.
     */
    UNSUPPORTED(-10),
    /** Something is larger than a documented limit. */
    LIMIT(-11),
    /**
     * Two things that must match do not, such as shapes, or a resumed run and its configuration.
     */
    MISMATCH(-12),
    /** A file is corrupt: a checksum or length does not match. */
    CORRUPT(-13),
    /**
     * Host or device memory is exhausted. Objects stay usable, or their later calls fail with
     * {@link #STATE}.
     */
    NO_MEMORY(-14),
    /** The device does not exist, or its driver cannot be used. */
    DEVICE(-15),
    /** A value is NaN or infinite where a finite number is needed. */
    NUMERIC(-16),
    /**
     * A {@link Cancel} was triggered, or the thread was interrupted (its interrupt status is then
     * still set).
     */
    CANCELLED(-17),
    /** Another rank of a distributed run failed or timed out. */
    DISTRIBUTED(-18),
    /** A bug in the library. Please report the message. */
    INTERNAL(-99),
    /**
     * A status that is newer than this package. {@link ContrastiveException#code()} is its number.
     */
    UNKNOWN(0);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) return kind;
      }
      return UNKNOWN;
    }
  }

  private final Kind kind;
  private final int code;

  ContrastiveException(int code, String message, Throwable cause) {
    super(message, cause);
    this.kind = Kind.of(code);
    this.code = code;
  }

  /** What the JNI layer throws (jni/glue.cpp). */
  static ContrastiveException fromNative(int code, byte[] message) {
    return new ContrastiveException(code, Utf8.decode(message), null);
  }

  static ContrastiveException argument(String message) {
    return new ContrastiveException(Kind.ARGUMENT.code, message, null);
  }

  static ContrastiveException of(Kind kind, String message, Throwable cause) {
    return new ContrastiveException(kind.code, message, cause);
  }

  /**
   * Turns a negative result into an exception. Some functions of the C API return a negative status
   * and set no error object.
   */
  static int checked(int answer, String what) {
    if (answer < 0)
      throw new ContrastiveException(
          answer, what + " failed with status " + Native.cs_status_name(answer), null);
    return answer;
  }

  static <T> T required(T argument, String what) {
    return Objects.requireNonNull(argument, () -> what + " is null");
  }

  /** The kind of error. */
  public Kind kind() {
    return kind;
  }

  /** The number of the C API's {@code cs_status}, which is negative. */
  public int code() {
    return code;
  }
}
