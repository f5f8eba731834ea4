package io.contrastive;

import java.util.Objects;

/**
 * A call of the library failed. {@link #kind()} is for programs, {@link #getMessage()} for people:
 * what is wrong, where, and what to do.
 *
 * <p>A failed call has changed nothing unless its text says more. Arguments that are {@code null}
 * where they must not be give a {@link NullPointerException} instead, which names them; an object
 * that is closed gives a {@link ClosedException}.
 */
public class ContrastiveException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * What went wrong; the constants of {@code contrastive.h}. Later versions may add kinds, so give
   * a {@code switch} a default.
   */
  public enum Kind {
    /** An argument or a config value is not allowed. */
    ARGUMENT(-1),
    /**
     * The native library does not know the object. One that is closed gives a {@link
     * ClosedException} instead.
     */
    HANDLE(-2),
    /** The object cannot do this now, for instance after an error that it could not undo. */
    STATE(-3),
    /** Another thread or process uses the object: wait, and call again. */
    BUSY(-4),
    /** The buffer is too small; nothing was written. */
    BUFFER(-5),
    /** A file, folder, tensor or key is not there. */
    NOT_FOUND(-6),
    /** The operating system refused a read or write. */
    IO(-7),
    /** The disk or quota is full; the folder that stood there before is intact. */
    NO_SPACE(-8),
    /** A file or a JSON text is malformed; the message names the place in it. */
    FORMAT(-9),
    /**
     * Well-formed, but of a kind that this library does not know; or training, where it is not
     * installed.
     */
    UNSUPPORTED(-10),
    /** Larger than a stated limit. */
    LIMIT(-11),
    /** Two things that must agree do not: shapes, or a resumed run and its configuration. */
    MISMATCH(-12),
    /** A checksum or length is not what was written. */
    CORRUPT(-13),
    /** Host or device memory is exhausted; the objects stay usable, or say {@link #STATE}. */
    NO_MEMORY(-14),
    /** No such device, or its driver cannot be used. */
    DEVICE(-15),
    /** NaN or infinity where a number is needed. */
    NUMERIC(-16),
    /**
     * A {@link Cancel} was triggered, or the thread was interrupted (its interrupt status is then
     * still set).
     */
    CANCELLED(-17),
    /** Another rank of the run failed, or did not come in time. */
    DISTRIBUTED(-18),
    /** A bug of the library: please report the message. */
    INTERNAL(-99),
    /**
     * A status that this package is too old to know; {@link ContrastiveException#code()} has its
     * number.
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
   * The C API answers some questions with a number below 0 and no error object; such a number is
   * turned into an exception here.
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

  /** What went wrong. */
  public Kind kind() {
    return kind;
  }

  /** The number of the C API's {@code cs_status}, below 0. */
  public int code() {
    return code;
  }
}
