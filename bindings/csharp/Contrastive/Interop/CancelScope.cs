// One call that can be cancelled: it has a cancel flag of the C API, which its CancellationToken
// raises, and which the end of the process raises.
using System;
using System.Threading;

namespace Contrastive.Interop
{
    internal readonly struct CancelScope : IDisposable
    {
        [ThreadStatic] private static CancellationToken callsToken_;  // of the call that this thread is in
        [ThreadStatic] private static CancelHandle? callsFlag_;

        private readonly CancellationToken token_;
        private readonly CancellationTokenRegistration registration_;

        /// <summary>What the call is given.</summary>
        internal readonly CancelHandle Flag;

        internal CancelScope(CancellationToken token)
        {
            token.ThrowIfCancellationRequested();
            token_ = token;
            registration_ = default;
            Flag = Native.cs_cancel_new();
            if (token.CanBeCanceled) registration_ = token.Register(Trigger, Flag, useSynchronizationContext: false);
            ProcessEnd.Join(Flag);
            callsToken_ = token;
            callsFlag_ = Flag;
        }

        /// <summary>For a thread whose call was cancelled. If its token was not, the process is
        /// ending: then the thread sleeps until that.</summary>
        internal static void SleepIfTheProcessEnds()
        {
            if (callsToken_.IsCancellationRequested) return;
            if (callsFlag_ != null) ProcessEnd.Leave(callsFlag_);
            ProcessEnd.Sleep(callsToken_);
        }

        /// <summary>The same exception, with the caller's token in it.</summary>
        internal OperationCanceledException Translate(OperationCanceledException failure) =>
            new OperationCanceledException(failure.Message, failure, token_);

        public void Dispose()
        {
            callsToken_ = default;
            callsFlag_ = null;
            ProcessEnd.Leave(Flag);
            registration_.Dispose();  // waits for a trigger that is running, so that the flag may go
            Flag.Dispose();
        }

        private static readonly Action<object?> Trigger = flag => Native.cs_cancel_trigger((CancelHandle)flag!);
    }
}
