// Passes the progress of a call from the C API to an IProgress.
using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Contrastive.Interop
{
    internal sealed class ProgressListener : IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void Function(IntPtr what, long done, long total, IntPtr user);

        private static readonly Function report_ = Report;  // native code calls it

        private readonly IProgress<CallProgress> progress_;
        private readonly CancelHandle flag_;
        private GCHandle self_;
        private volatile ExceptionDispatchInfo? failure_;

        // The flag must be disposed of before the listener.
        internal ProgressListener(IProgress<CallProgress> progress, CancelHandle flag)
        {
            progress_ = progress;
            flag_ = flag;
            self_ = GCHandle.Alloc(this);
            Native.cs_progress_to(flag, Marshal.GetFunctionPointerForDelegate(report_),
                GCHandle.ToIntPtr(self_));
        }

        internal bool Failed => failure_ != null;

        // Throws what IProgress.Report has thrown.
        internal void Rethrow() => failure_?.Throw();

        public void Dispose() => self_.Free();

        // No exception may leave this method: it would unwind native frames.
        private static void Report(IntPtr what, long done, long total, IntPtr user)
        {
            var listener = (ProgressListener)GCHandle.FromIntPtr(user).Target!;
            if (listener.Failed) return;
            try
            {
                listener.progress_.Report(
                    new CallProgress(Utf8.Read(what), done, total > 0 ? total : (long?)null));
            }
            catch (Exception e)
            {
                listener.failure_ = ExceptionDispatchInfo.Capture(e);
                Native.cs_cancel_trigger(listener.flag_);
            }
        }
    }
}
