// The end of the process while calls are running. LibTorch goes then, and background threads still
// run: a call that is cancelled for this reason must not throw, because an exception that a
// background thread does not catch ends the process with an error.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
#if NETCOREAPP
using System.Runtime.Loader;
#endif

namespace Contrastive.Interop
{
    /// <summary> Ends calls when the process ends. Calls that are running when
    /// AppDomain.ProcessExit is raised have one second to finish. Then they are cancelled, and
    /// another second is given to them. Calls that begin later are left alone. If one of these
    /// still runs when the process calls exit(), libcontrastive itself cancels it.
    /// </summary>
    internal static class ProcessEnd
    {
        private const int Grace = 1000, Patience = 1000;  // milliseconds

        /// <summary>The process is gone by then, unless its own handlers keep it. They may wait for
        /// the thread, so it does not sleep for ever.</summary>
        private const int LongestSleep = 10000;

        private static readonly HashSet<CancelHandle> running_ = new HashSet<CancelHandle>();
        private static volatile bool begun_;

        /// <summary>Called once, when the library is loaded.</summary>
        internal static void Watch()
        {
            AppDomain.CurrentDomain.ProcessExit += EndCalls;
#if NETCOREAPP
            // A handler keeps a collectible context from unloading.
            AssemblyLoadContext? context = AssemblyLoadContext.GetLoadContext(typeof(ProcessEnd).Assembly);
            if (context != null && context.IsCollectible) context.Unloading += _ => AppDomain.CurrentDomain.ProcessExit -= EndCalls;
#endif
        }

        /// <summary>A call begins that the flag can cancel.</summary>
        internal static void Join(CancelHandle flag)
        {
            lock (running_) running_.Add(flag);
        }

        /// <summary>The call is over.</summary>
        internal static void Leave(CancelHandle flag)
        {
            lock (running_) running_.Remove(flag);
        }

        /// <summary>If the process has begun to end, sleeps until it has ended, or until the token
        /// is cancelled.</summary>
        internal static void Sleep(CancellationToken token)
        {
            if (!begun_) return;
            try
            {
                token.WaitHandle.WaitOne(LongestSleep);
            }
            catch (ObjectDisposedException)
            {
                Thread.Sleep(LongestSleep);  // nobody can cancel it any more
            }
        }

        private static void EndCalls(object? sender, EventArgs arguments)
        {
            begun_ = true;
            CancelHandle[] calls;
            lock (running_) calls = running_.ToArray();
            Wait(calls, Grace);
            foreach (CancelHandle flag in calls)
            {
                try
                {
                    Native.cs_cancel_trigger(flag);
                }
                catch (ObjectDisposedException)
                {
                    // The call is over.
                }
            }
            Wait(calls, Patience);
        }

        /// <summary>Waits until none of the calls is running, or the time is over.</summary>
        private static void Wait(CancelHandle[] calls, int milliseconds)
        {
            for (Stopwatch watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds; Thread.Sleep(5))
            {
                lock (running_)
                {
                    if (!calls.Any(running_.Contains)) return;
                }
            }
        }
    }
}
