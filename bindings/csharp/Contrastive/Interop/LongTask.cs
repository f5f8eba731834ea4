// Runs calls that take minutes on threads of their own, so that the pool's threads stay free.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Contrastive.Interop
{
    internal static class LongTask
    {
        internal static Task<T> Run<T>(Func<T> call, CancellationToken token) =>
            Task.Factory.StartNew(call, token,
                TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach,
                TaskScheduler.Default);
    }
}
