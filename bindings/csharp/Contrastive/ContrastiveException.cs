// What is thrown where the library refuses or fails.
using System;

namespace Contrastive
{
    /// <summary>What went wrong, with the numbers of the C API's cs_status. Later versions may add
    /// kinds.</summary>
    public enum ErrorKind
    {
        /// <summary>An argument or a config value is not allowed.</summary>
        Argument = -1,
        /// <summary>A handle is none.</summary>
        Handle = -2,
        /// <summary>The object cannot do this now, for instance after an error that it could not
        /// undo.</summary>
        State = -3,
        /// <summary>Another thread or process uses the object: wait, and call again.</summary>
        Busy = -4,
        /// <summary>The destination is too small; nothing was written.</summary>
        Buffer = -5,
        /// <summary>A file, folder, tensor or key is not there.</summary>
        NotFound = -6,
        /// <summary>The operating system refused a read or write.</summary>
        IO = -7,
        /// <summary>The disk or quota is full; the folder that stood there before is
        /// intact.</summary>
        NoSpace = -8,
        /// <summary>A file or a JSON text is malformed; the message names the place in
        /// it.</summary>
        Format = -9,
        /// <summary>Well-formed, but of a kind that this library does not know; or training, where
        /// it is not installed.</summary>
        Unsupported = -10,
        /// <summary>Larger than a stated limit.</summary>
        Limit = -11,
        /// <summary>Two things that must agree do not: shapes, or a resumed run and its
        /// configuration.</summary>
        Mismatch = -12,
        /// <summary>A checksum or length is not what was written.</summary>
        Corrupt = -13,
        /// <summary>Host or device memory is exhausted; the objects stay usable, or say <see
        /// cref="State"/>.</summary>
        NoMemory = -14,
        /// <summary>No such device, or its driver cannot be used.</summary>
        Device = -15,
        /// <summary>NaN or infinity where a number is needed.</summary>
        Numeric = -16,
        /// <summary>A call was cancelled. It is thrown as <see cref="OperationCanceledException"/>,
        /// so no ContrastiveException has it.</summary>
        Cancelled = -17,
        /// <summary>Another rank of the run failed, or did not come in time.</summary>
        Distributed = -18,
        /// <summary>A bug of the library: please report the message.</summary>
        Internal = -99
    }

    /// <summary> The library refused a call or failed in it. <see cref="Kind"/> is for programs
    /// (<c>catch (ContrastiveException e) when (e.Kind == ErrorKind.Busy)</c>), <see
    /// cref="Exception.Message"/> for people: what is wrong, where, what to do. A failed call has
    /// changed nothing unless its text says more.
    /// </summary>
    /// <remarks> Three failures have exceptions that .NET has names for: <see
    /// cref="OperationCanceledException"/> where a token was cancelled,
    /// <see cref="ObjectDisposedException"/> after Dispose, and <see cref="ArgumentException"/> for arguments that never reach the library.
    /// </remarks>
    public sealed class ContrastiveException : Exception
    {
        internal ContrastiveException(int status, string message) : base(message) => Kind = (ErrorKind)status;

        /// <summary>What went wrong.</summary>
        public ErrorKind Kind { get; }
    }
}
