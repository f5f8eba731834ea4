// Version and process-wide settings of the library: threads, LibTorch, log messages.
using System;
using System.Runtime.InteropServices;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>How important a log message is.</summary>
    public enum LogSeverity
    {
        /// <summary>Details for debugging.</summary>
        Debug = 0,
        /// <summary>Normal events.</summary>
        Info = 1,
        /// <summary>Something is probably not as intended.</summary>
        Warning = 2
    }

    /// <summary>Version and process-wide settings of the library.</summary>
    public static class Library
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void LogFunction(int level, IntPtr message, IntPtr user);

        private static readonly object gate_ = new object();
        // Keeps the delegate alive that native code calls. A static field would be unloaded with
        // its AssemblyLoadContext; a GC handle keeps the context from unloading.
        private static GCHandle sink_;
        [ThreadStatic] private static bool insideSink_;

        /// <summary>The version of the native library, "MAJOR.MINOR.PATCH". <see cref="BuildInfo"/>
        /// has more details.</summary>
        public static string Version
        {
            get
            {
                NativeLoader.Require();
                return Native.cs_version();
            }
        }

        /// <summary>The number of native objects in this process. A leak test compares it before
        /// and after.</summary>
        public static long LiveHandles
        {
            get
            {
                NativeLoader.Require();
                return Native.cs_live_handles();
            }
        }

        /// <summary>Sets the maximum number of threads of one call, for calls that start later.
        /// The key "threads" of a model or a training limits its calls further.</summary>
        /// <param name="threads">1 or more; null: one thread per processor.</param>
        public static void SetThreads(int? threads)
        {
            Guard.PositiveOrNull(threads, nameof(threads));
            NativeLoader.Require();
            Native.cs_set_threads(threads ?? 0);
        }

        /// <summary>Sets LibTorch's folder (the one that contains lib/libtorch_cpu.so, or lib
        /// itself) for the whole process. Call it before the first call that needs LibTorch:
        /// training, CUDA, a task that trains, <see cref="BuildInfo.Get"/>. Only this folder is
        /// then used. If it is not usable, the call that needs it fails.</summary>
        /// <param name="folder">Null restores the default: the environment variable
        /// CONTRASTIVE_LIBTORCH, or the search.</param>
        /// <exception cref="ContrastiveException">State: LibTorch is already loaded.</exception>
        public static void SetLibTorch(string? folder)
        {
            NativeLoader.Require();
            Native.cs_set_libtorch(folder);
        }

        /// <summary>Sets the sink of log messages. Without a sink nothing is printed. When this
        /// method returns, no call of the previous sink is running. A collectible
        /// AssemblyLoadContext does not unload while one of its sinks is set: set the sink to null
        /// first.</summary>
        /// <param name="sink">It may be called from any thread, but not concurrently. It must not
        /// call the library, including this method. Its exceptions are ignored. Null removes the
        /// sink.</param>
        /// <param name="lowest">The lowest level that the sink receives.</param>
        /// <exception cref="ContrastiveException">Busy: the sink called this method.</exception>
        public static void SetLogSink(Action<LogSeverity, string>? sink,
            LogSeverity lowest = LogSeverity.Info)
        {
            NativeLoader.Require();
            // A thread that holds the lock waits for the running sink to return, so a sink that
            // waited for the lock would deadlock.
            if (insideSink_)
                throw new ContrastiveException((int)ErrorKind.Busy,
                    "A log sink cannot replace or clear itself: do that when it has returned.");
            lock (gate_)
            {
                GCHandle next = sink == null ? default : GCHandle.Alloc(Guarded(sink)),
                    unused = next;
                try
                {
                    Native.cs_log_to(sink == null ? IntPtr.Zero
                        : Marshal.GetFunctionPointerForDelegate((LogFunction)next.Target!),
                        (int)lowest);
                    unused = sink_;  // only now may the previous one be freed
                    sink_ = next;
                }
                finally
                {
                    if (unused.IsAllocated) unused.Free();
                }
            }
        }

        // Catches all exceptions: one that left the callback would end the process or unwind native
        // frames.
        private static LogFunction Guarded(Action<LogSeverity, string> sink) =>
            (level, message, user) =>
        {
            insideSink_ = true;
            try
            {
                sink((LogSeverity)level, Utf8.Read(message));
            }
            catch (Exception)
            {
                // The exception cannot be reported, because the thread may belong to the library.
            }
            finally
            {
                insideSink_ = false;
            }
        };
    }
}
