// Handles the end of the process while calls are running. LibTorch is then unloaded while
// background threads still run. A call that is cancelled for this reason must not throw, because an
// exception that a background thread does not catch ends the process with an error.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
#if NET
using System.Runtime.Loader;
#endif
using System.Threading;

namespace Contrastive.Interop
{
    // Ends running calls when the process ends. Calls that are running when AppDomain.ProcessExit
    // is raised have one second to finish. Then they are cancelled and get one more second to end.
    // Calls that begin later are not cancelled here. If one still runs when the process calls
    // exit(), libcontrastive itself cancels it.
    internal static class ProcessEnd
    {
        private const int Grace = 1000, Patience = 1000;  // milliseconds

        // The process normally ends during this sleep. Its own handlers may delay its end and wait
        // for the thread, so the sleep is limited.
        private const int LongestSleep = 10000;

        private static readonly HashSet<CancelHandle> running_ = new HashSet<CancelHandle>();

        // Called once, when the library is loaded.
        internal static void Watch()
        {
            AppDomain.CurrentDomain.ProcessExit += EndCalls;
#if NET
            // The handler would keep a collectible context from unloading.
            AssemblyLoadContext? context =
                AssemblyLoadContext.GetLoadContext(typeof(ProcessEnd).Assembly);
            if (context != null && context.IsCollectible)
                context.Unloading += _ => AppDomain.CurrentDomain.ProcessExit -= EndCalls;
#endif
        }

        // Registers a call, which the flag can cancel.
        internal static void Join(CancelHandle flag) => Change(flag, runs: true);

        // Removes a call that has ended.
        internal static void Leave(CancelHandle flag) => Change(flag, runs: false);

        // Waiting for the lock throws if the thread is interrupted. A call that did not leave the
        // set would keep its flag forever, so the interruption is repeated after the change.
        private static void Change(CancelHandle flag, bool runs)
        {
            bool interrupted = false;
            for (bool changed = false; !changed;)
            {
                try
                {
                    lock (running_)
                    {
                        if (runs) running_.Add(flag);
                        else running_.Remove(flag);
                    }
                    changed = true;
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true;
                }
            }
            if (interrupted) Thread.CurrentThread.Interrupt();
        }

        // Sleeps until the process has ended or the token is cancelled.
        internal static void Sleep(CancellationToken token)
        {
            try
            {
                token.WaitHandle.WaitOne(LongestSleep);
            }
            catch (ObjectDisposedException)
            {
                Thread.Sleep(LongestSleep);  // the token cannot be cancelled
            }
        }

        private static void EndCalls(object? sender, EventArgs arguments)
        {
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

        // Waits until none of the calls is running or the time has run out.
        private static void Wait(CancelHandle[] calls, int milliseconds)
        {
            for (Stopwatch watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;
                Thread.Sleep(5))
            {
                lock (running_)
                {
                    if (!calls.Any(running_.Contains)) return;
                }
            }
        }
    }
}
