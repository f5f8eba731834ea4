// The exception of failed calls, and the kinds of errors.
using System;

namespace Contrastive
{
    /// <summary>The kind of error, with the numbers of the C API's cs_status. Later versions may
    /// add kinds.</summary>
    public enum ErrorKind
    {
        /// <summary>An argument or a config value is not allowed.</summary>
        Argument = -1,
        /// <summary>A handle is not valid.</summary>
        Handle = -2,
        /// <summary>The object cannot do this in its current state, for instance after an error
        /// that it could not undo.</summary>
        State = -3,
        /// <summary>Another thread or process uses the object: wait, and call again.</summary>
        Busy = -4,
        /// <summary>The destination is too small; nothing was written.</summary>
        Buffer = -5,
        /// <summary>A file, folder, tensor or key does not exist.</summary>
        NotFound = -6,
        /// <summary>The operating system refused a read or write.</summary>
        IO = -7,
        /// <summary>The disk or quota is full. The folder that was to be replaced is
        /// intact.</summary>
        NoSpace = -8,
        /// <summary>A file or a JSON text is malformed. The message gives the position.</summary>
        Format = -9,
        /// <summary>The input is well-formed, but the library does not support it; or training is
        /// not installed.</summary>
        Unsupported = -10,
        /// <summary>Something is larger than a documented limit.</summary>
        Limit = -11,
        /// <summary>Two things that must match do not, such as shapes, or a resumed run and its
        /// configuration.</summary>
        Mismatch = -12,
        /// <summary>A file is corrupt: a checksum or length does not match.</summary>
        Corrupt = -13,
        /// <summary>Host or device memory is exhausted. Objects stay usable, or their later calls
        /// fail with <see cref="State"/>.</summary>
        NoMemory = -14,
        /// <summary>The device does not exist, or its driver cannot be used.</summary>
        Device = -15,
        /// <summary>A value is NaN or infinite where a finite number is needed.</summary>
        Numeric = -16,
        /// <summary>A call was cancelled. This is thrown as
        /// <see cref="OperationCanceledException"/>, so no ContrastiveException has this
        /// kind.</summary>
        Cancelled = -17,
        /// <summary>Another rank of a distributed run failed or timed out.</summary>
        Distributed = -18,
        /// <summary>A bug in the library. Please report the message.</summary>
        Internal = -99
    }

    /// <summary>Thrown when a call of the library fails. Programs use <see cref="Kind"/> (<c>catch
    /// (ContrastiveException e) when (e.Kind == ErrorKind.Busy)</c>).
    /// <see cref="Exception.Message"/> tells people what is wrong, where, and what to do. A failed
    /// call has changed nothing, unless its documentation or message says otherwise.
    /// </summary>
    /// <remarks>Three errors are thrown as standard .NET exceptions:
    /// <see cref="OperationCanceledException"/> after a token was cancelled,
    /// <see cref="ObjectDisposedException"/> after Dispose, and <see cref="ArgumentException"/> or
    /// a class derived from it, with the parameter's name, for a wrong argument of a method. A
    /// wrong key or value of a <see cref="Config"/> or an option is
    /// <see cref="ErrorKind.Argument"/>.
    /// </remarks>
    public sealed class ContrastiveException : Exception
    {
        internal ContrastiveException(int status, string message) : base(message) =>
            Kind = (ErrorKind)status;

        /// <summary>The kind of error.</summary>
        public ErrorKind Kind { get; }
    }
}
