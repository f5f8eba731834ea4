// Converts a failed call of the C API to the exception that C# code expects.
using System;

namespace Contrastive.Interop
{
    internal static class Failure
    {
        // The exception of the call that has just failed on this thread.
        // status is used if the call left no error object.
        internal static Exception Take(int status)
        {
            IntPtr error = Native.cs_take_failure();
            if (error == IntPtr.Zero)
                return Of(status, "The call failed: " + Native.cs_status_name(status) + ".");
            try
            {
                return Of(Native.cs_error_status(error), Native.cs_error_message(error));
            }
            finally
            {
                Native.cs_error_free(error);
            }
        }

        // Checks the result of an accessor, which returns a count or a negative
        // status.
        internal static long Checked(long answer, string what)
        {
            if (answer >= 0) return answer;
            throw Of((int)answer, what + " failed: " + Native.cs_status_name((int)answer) + ".");
        }

        private static Exception Of(int status, string message)
        {
            if (status != (int)ErrorKind.Cancelled)
                return new ContrastiveException(status, message);
            CancelScope.SleepIfTheProcessEnds();
            return new OperationCanceledException(message);
        }
    }
}
