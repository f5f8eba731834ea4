// Finds and loads the native libraries: libcontrastive_csharp.so, the C# glue library that SWIG
// generates, and libcontrastive.so.0, which it depends on. libcontrastive itself finds the training
// plugin and LibTorch when they are first needed.
using System;
using System.Collections.Generic;
#if NET
using System.Diagnostics.CodeAnalysis;
#endif
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Contrastive.Interop
{
    /// <summary>Loads the libraries by absolute path with dlopen, before the first P/Invoke. The
    /// P/Invoke lookup by name then finds the loaded library, on both .NET and mono. If nothing can
    /// be loaded, the exception lists every place that was tried, with the system's errors.
    /// </summary>
    internal static class NativeLoader
    {
        private const string Glue = "libcontrastive_csharp.so";
        private const string Core = "libcontrastive.so.0";
        private const int Now = 2;  // RTLD_NOW

        private static readonly object gate_ = new object();
        private static volatile bool loaded_;

        /// <summary>Loads the libraries if they are not loaded yet. Every method that may make the
        /// first native call must call this first. A static constructor would not work: its
        /// exceptions are wrapped, and mono runs it too late, because mono looks up native
        /// functions when it compiles their callers.
        /// </summary>
        internal static void Require()
        {
            if (loaded_) return;
            lock (gate_)
            {
                if (loaded_) return;
                var tried = new List<string>();
                if (!LoadCore(tried) || !LoadGlue(tried))
                    throw new DllNotFoundException(Explain(tried));
                CheckAbi();
                ProcessEnd.Watch();
                loaded_ = true;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void CheckAbi()
        {
            int library = Native.cs_abi_version(), expected = Native.cs_header_abi_version();
            if (library == expected) return;
            throw new DllNotFoundException("The libcontrastive that was loaded has binary " +
                "interface " + library + "; this package was made for " + expected +
                ". Install the two in the same version.");
        }

        /// <summary>Loads the libcontrastive that the environment variable names: the file, or its
        /// folder.</summary>
        private static bool LoadCore(List<string> tried)
        {
            string? path = Environment.GetEnvironmentVariable("CONTRASTIVE_LIBRARY");
            return string.IsNullOrEmpty(path) ||
                Open(Directory.Exists(path) ? Path.Combine(path, Core) : path!, tried);
        }

        private static bool LoadGlue(List<string> tried)
        {
            foreach (string folder in Folders())
            {
                string path = Path.Combine(folder, Glue);
                if (Open(path, tried)) return true;
            }
            return Open(Glue, tried);
        }

        // The folders in which packages, publish folders and build trees keep native libraries.
#if NET
        [UnconditionalSuppressMessage("SingleFile", "IL3000",
            Justification = "In a single file the location is empty, and the program's is used.")]
#endif
        private static List<string> Folders()
        {
            string platform = Path.Combine("runtimes", Platform(), "native");
            string assembly = Path.GetDirectoryName(typeof(NativeLoader).Assembly.Location) ?? "",
                program = AppContext.BaseDirectory.TrimEnd('/', '\\');
            var folders = new List<string>();
            foreach (string root in new[] { assembly, program })
            {
                if (root.Length == 0) continue;
                folders.Add(root);
                folders.Add(Path.Combine(root, platform));
            }
            // An unpacked package has the folders lib/<framework> and runtimes.
            string? library = Path.GetDirectoryName(assembly);
            if (Path.GetFileName(library) == "lib")
                folders.Add(Path.Combine(Path.GetDirectoryName(library!)!, platform));
            // The .NET host sets this from app.deps.json.
            string? probing = AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string;
            folders.AddRange((probing ?? "").Split(Path.PathSeparator)
                .Where(folder => folder.Length != 0)
                .Select(folder => folder.TrimEnd('/', '\\')));
            return folders.Distinct().ToList();
        }

        private static string Platform()
        {
            bool linux = RuntimeInformation.IsOSPlatform(OSPlatform.Linux),
                mac = RuntimeInformation.IsOSPlatform(OSPlatform.OSX);
            string system = linux ? "linux" : mac ? "osx" : "win";
            return system + "-" +
                RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
        }

        private static bool Open(string path, List<string> tried)
        {
            if (Path.IsPathRooted(path) && !File.Exists(path))
            {
                tried.Add(path + ": no such file");
                return false;
            }
            // The runtime calls dlopen to find this function. Call it once here, so that no dlopen
            // comes between the next two lines.
            dlerror();
            if (dlopen(Encoding.UTF8.GetBytes(path + "\0"), Now) != IntPtr.Zero) return true;
            tried.Add(path + ": " + Utf8.Read(dlerror()));
            return false;
        }

        private static string Explain(List<string> tried)
        {
            var text = new StringBuilder("libcontrastive could not be loaded on " + Platform() +
                ". Tried:\n");
            foreach (string attempt in tried) text.Append("  ").Append(attempt).Append('\n');
            if (RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && Directory.Exists("/lib") &&
                Directory.GetFiles("/lib", "ld-musl-*").Length > 0)
                text.Append("This system uses musl, and the natives need glibc: run on a " +
                    "distribution that has it.\n");
            return text.Append("Set CONTRASTIVE_LIBRARY to the folder of " + Core + ".").ToString();
        }

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(byte[] path, int flags);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlerror();
    }
}
