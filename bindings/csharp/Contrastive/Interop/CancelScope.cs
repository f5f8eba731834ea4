// A cancellable call. It has a cancel flag of the C API, which is raised by its CancellationToken,
// by a progress listener that throws, and by the end of the process.
using System;
using System.Threading;

namespace Contrastive.Interop
{
    internal sealed class CancelScope : IDisposable
    {
        // This thread's running call. Its progress listener may make another one.
        [ThreadStatic] private static CancelScope? current_;

        private readonly CancelScope? outer_;
        private readonly CancellationToken token_;
        private readonly CancellationTokenRegistration registration_;
        private readonly ProgressListener? listener_;

        // The flag to pass to the call.
        internal readonly CancelHandle Flag;

        internal CancelScope(CancellationToken token, IProgress<CallProgress>? progress = null)
        {
            token.ThrowIfCancellationRequested();
            token_ = token;
            Flag = Native.cs_cancel_new();
            if (progress != null) listener_ = new ProgressListener(progress, Flag);
            if (token.CanBeCanceled)
                registration_ = token.Register(Trigger, Flag, useSynchronizationContext: false);
            ProcessEnd.Join(Flag);
            outer_ = current_;
            current_ = this;
        }

        // Makes a call with a flag.
        internal static T Call<T>(Func<CancelHandle, T> call, IProgress<CallProgress>? progress,
            CancellationToken token)
        {
            using var scope = new CancelScope(token, progress);
            try
            {
                T result = call(scope.Flag);
                scope.Finish();
                return result;
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        // Called by a thread whose call was cancelled. If nothing in this process asked for that,
        // the process is ending, and the thread sleeps until it has ended.
        internal static void SleepIfTheProcessEnds()
        {
            CancelScope? call = current_;
            CancellationToken token = call?.token_ ?? default;
            if (token.IsCancellationRequested || call?.listener_?.Failed == true) return;
            if (call != null) ProcessEnd.Leave(call.Flag);
            ProcessEnd.Sleep(token);
        }

        // Called after a call that has succeeded.
        internal void Finish() => listener_?.Rethrow();

        // The same exception with the caller's token, or the exception of the listener.
        internal OperationCanceledException Translate(OperationCanceledException failure)
        {
            listener_?.Rethrow();
            return new OperationCanceledException(failure.Message, failure, token_);
        }

        public void Dispose()
        {
            current_ = outer_;
            ProcessEnd.Leave(Flag);
            registration_.Dispose();  // waits for a running trigger, so that the flag can be freed
            Flag.Dispose();
            listener_?.Dispose();  // no call uses it any more
        }

        private static readonly Action<object?> Trigger = flag =>
            Native.cs_cancel_trigger((CancelHandle)flag!);
    }
}
