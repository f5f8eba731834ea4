// A cancellable call. It has a cancel flag of the C API, which is raised by its CancellationToken
// and by the end of the process.
using System;
using System.Threading;

namespace Contrastive.Interop
{
    internal readonly struct CancelScope : IDisposable
    {
        // The token and flag of this thread's current call.
        [ThreadStatic] private static CancellationToken callsToken_;
        [ThreadStatic] private static CancelHandle? callsFlag_;

        private readonly CancellationToken token_;
        private readonly CancellationTokenRegistration registration_;

        /// <summary>The flag to pass to the call.</summary>
        internal readonly CancelHandle Flag;

        internal CancelScope(CancellationToken token)
        {
            token.ThrowIfCancellationRequested();
            token_ = token;
            registration_ = default;
            Flag = Native.cs_cancel_new();
            if (token.CanBeCanceled)
                registration_ = token.Register(Trigger, Flag, useSynchronizationContext: false);
            ProcessEnd.Join(Flag);
            callsToken_ = token;
            callsFlag_ = Flag;
        }

        /// <summary>Called by a thread whose call was cancelled. If its token was not cancelled,
        /// the process is ending, and the thread sleeps until it has ended.</summary>
        internal static void SleepIfTheProcessEnds()
        {
            if (callsToken_.IsCancellationRequested) return;
            if (callsFlag_ != null) ProcessEnd.Leave(callsFlag_);
            ProcessEnd.Sleep(callsToken_);
        }

        /// <summary>The same exception with the caller's token.</summary>
        internal OperationCanceledException Translate(OperationCanceledException failure) =>
            new OperationCanceledException(failure.Message, failure, token_);

        public void Dispose()
        {
            callsToken_ = default;
            callsFlag_ = null;
            ProcessEnd.Leave(Flag);
            registration_.Dispose();  // waits for a running trigger, so that the flag can be freed
            Flag.Dispose();
        }

        private static readonly Action<object?> Trigger = flag =>
            Native.cs_cancel_trigger((CancelHandle)flag!);
    }
}
