// What concerns the library as a whole.
using System;
using System.Runtime.InteropServices;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Levels of messages.</summary>
    public enum LogLevel
    {
        /// <summary>For those who look for a fault.</summary>
        Debug = 0,
        /// <summary>What is going on.</summary>
        Info = 1,
        /// <summary>What was probably not meant.</summary>
        Warning = 2
    }

    /// <summary>What concerns the library as a whole, and so the whole process.</summary>
    public static class Library
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void LogFunction(int level, IntPtr message, IntPtr user);

        private static readonly object gate_ = new object();
        /// <summary>What native code points to. A static field would go with its
        /// AssemblyLoadContext: a handle keeps the context from unloading.</summary>
        private static GCHandle sink_;
        [ThreadStatic] private static bool insideSink_;

        /// <summary>The native library's version, "MAJOR.MINOR.PATCH"; <see cref="BuildInfo"/>
        /// tells more.</summary>
        public static string Version => Required(Native.cs_version);

        /// <summary>How many native objects of all kinds exist in this process: a leak test
        /// compares it before and after.</summary>
        public static long LiveHandles => Required(Native.cs_live_handles);

        /// <summary>Asks through a delegate: mono would look the native function up where it is
        /// inlined, before the library is loaded.</summary>
        private static T Required<T>(Func<T> ask)
        {
            NativeLoader.Require();
            return ask();
        }

        /// <summary>Sets how many threads one call may compute with, for calls that start later; 0:
        /// one for each processor.</summary>
        public static void SetThreads(int threads)
        {
            NativeLoader.Require();
            Native.cs_set_threads(threads);
        }

        /// <summary>Names LibTorch's folder (the one that holds lib/libtorch_cpu.so, or lib itself)
        /// for the whole process, before a call first needs it: training, CUDA, a task that trains,
        /// <see cref="BuildInfo.Get"/>. No other is taken then, and what is wrong with it is the
        /// error of that call.</summary>
        /// <param name="folder">null: back to what the environment variable CONTRASTIVE_LIBTORCH
        /// says, and to the search.</param>
        /// <exception cref="ContrastiveException">State: LibTorch is loaded already.</exception>
        public static void SetLibTorch(string? folder)
        {
            NativeLoader.Require();
            Native.cs_set_libtorch(folder);
        }

        /// <summary>Sets where messages go; without a sink nothing is printed. When this returns no
        /// call of the former sink is running. A collectible AssemblyLoadContext does not unload
        /// while a sink of its own is set: clear it first, with null.</summary>
        /// <param name="sink">May be called from any thread, one call at a time, and must not call
        /// the library, this method included. What it throws is lost. null: silence. On mono,
        /// interrupt or abort no thread that may be in it: mono throws before it is entered, past
        /// native frames, whose locks then stay taken.</param>
        /// <param name="lowest">The lowest level that it is given.</param>
        /// <exception cref="ContrastiveException">Busy: a sink asks, of itself.</exception>
        public static void SetLogSink(Action<LogLevel, string>? sink, LogLevel lowest = LogLevel.Info)
        {
            NativeLoader.Require();
            // Whoever holds the lock waits for the sink that is running: that sink must be told so
            // before it asks for the lock.
            if (insideSink_)
                throw new ContrastiveException((int)ErrorKind.Busy, "A log sink cannot replace or clear itself: do that when it has returned.");
            lock (gate_)
            {
                GCHandle next = sink == null ? default : GCHandle.Alloc(Guarded(sink)), unused = next;
                try
                {
                    Native.cs_log_to(sink == null ? IntPtr.Zero : Marshal.GetFunctionPointerForDelegate((LogFunction)next.Target!), (int)lowest);
                    unused = sink_;  // only now may the former one go
                    sink_ = next;
                }
                finally
                {
                    if (unused.IsAllocated) unused.Free();
                }
            }
        }

        /// <summary>An exception that left a callback would end the process or leave native frames
        /// half done.</summary>
        private static LogFunction Guarded(Action<LogLevel, string> sink) => (level, message, user) =>
        {
            insideSink_ = true;
            try
            {
                sink((LogLevel)level, Utf8.Read(message));
            }
            catch (Exception)
            {
                // There is nobody to tell: the thread may be the library's own.
            }
            finally
            {
                insideSink_ = false;
            }
        };
    }
}
