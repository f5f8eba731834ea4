// A CancellationToken for the time of one call: it raises a cancel flag of the C API.
using System;
using System.Threading;

namespace Contrastive.Interop
{
    internal readonly struct CancelScope : IDisposable
    {
        private readonly CancellationToken token_;
        private readonly CancellationTokenRegistration registration_;

        /// <summary>What the call is given.</summary>
        internal readonly CancelHandle Flag;

        internal CancelScope(CancellationToken token)
        {
            token.ThrowIfCancellationRequested();
            token_ = token;
            registration_ = default;
            Flag = CancelHandle.None;
            if (!token.CanBeCanceled) return;  // costs nothing then
            Flag = Native.cs_cancel_new();
            registration_ = token.Register(Trigger, Flag, useSynchronizationContext: false);
        }

        /// <summary>The same exception, with the caller's token in it.</summary>
        internal OperationCanceledException Translate(OperationCanceledException failure) =>
            new OperationCanceledException(failure.Message, failure, token_);

        public void Dispose()
        {
            registration_.Dispose();  // waits for a trigger that is running, so that the flag may go
            if (!ReferenceEquals(Flag, CancelHandle.None)) Flag.Dispose();
        }

        private static readonly Action<object?> Trigger = flag => Native.cs_cancel_trigger((CancelHandle)flag!);
    }
}
