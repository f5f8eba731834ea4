// Finds and loads the native libraries: the C# glue library that SWIG generates, and
// libcontrastive, which it depends on. libcontrastive itself finds the training plugin and LibTorch
// when they are first needed.
using System;
using System.Collections.Generic;
#if NET
using System.Diagnostics.CodeAnalysis;
#endif
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Contrastive.Interop
{
    // Loads the libraries by absolute path, before the first P/Invoke. The P/Invoke lookup by name
    // then finds the loaded library. If nothing can be loaded, the exception lists every place that
    // was tried, with the system's errors.
    internal static class NativeLoader
    {
        private const int Now = 2;  // RTLD_NOW

        private static readonly bool windows_ = RuntimeInformation.IsOSPlatform(OSPlatform.Windows),
            linux_ = RuntimeInformation.IsOSPlatform(OSPlatform.Linux);
        private static readonly string glue_ = windows_ ? "contrastive_csharp.dll"
            : linux_ ? "libcontrastive_csharp.so" : "libcontrastive_csharp.dylib";
        private static readonly string core_ = windows_ ? "contrastive.dll"
            : linux_ ? "libcontrastive.so.0" : "libcontrastive.0.dylib";

        private static readonly object gate_ = new object();
        private static volatile bool loaded_;
#if NET
        private static IntPtr found_;
#endif

        // Loads the libraries if they are not loaded yet. Every method that may make the first
        // native call must call this first. A static constructor would not work: its exceptions are
        // wrapped.
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

        // Loads the libcontrastive that the environment variable names: the file, or its folder.
        private static bool LoadCore(List<string> tried)
        {
            string? path = Environment.GetEnvironmentVariable("CONTRASTIVE_LIBRARY");
            return string.IsNullOrEmpty(path) ||
                Open(Directory.Exists(path) ? Path.Combine(path, core_) : path!, tried) !=
                IntPtr.Zero;
        }

        private static bool LoadGlue(List<string> tried)
        {
            IntPtr library = Folders().Select(folder => Path.Combine(folder, glue_))
                .Append(glue_).Select(path => Open(path, tried))
                .FirstOrDefault(opened => opened != IntPtr.Zero);
#if NET
            if (library != IntPtr.Zero && found_ == IntPtr.Zero)
                NativeLibrary.SetDllImportResolver(typeof(NativeLoader).Assembly,
                    (name, assembly, paths) =>
                    name == "contrastive_csharp" ? found_ : IntPtr.Zero);
            found_ = library;
#endif
            return library != IntPtr.Zero;
        }

        // The folders in which packages, publish folders and build trees keep native libraries.
#if NET
        [UnconditionalSuppressMessage("SingleFile", "IL3000",
            Justification = "In a single file the location is empty, and the program's is used.")]
#endif
        private static IEnumerable<string> Folders()
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
            return folders.Distinct();
        }

        // The name of this platform in .NET's packages, such as "linux-musl-x64".
        internal static string Platform()
        {
            string system = windows_ ? "win" : !linux_ ? "osx" : UsesMusl() ? "linux-musl"
                : "linux";
            return system + "-" +
                RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
        }

        private static bool UsesMusl()
        {
            try
            {
                return File.ReadAllText("/proc/self/maps").Contains("/ld-musl-");
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException)
            {
                return false;
            }
        }

        private static IntPtr Open(string path, List<string> tried)
        {
            if (Path.IsPathRooted(path) && !File.Exists(path))
            {
                tried.Add(path + ": no such file");
                return IntPtr.Zero;
            }
            IntPtr library = linux_ ? OpenOnLinux(path, out string error)
                : OpenElsewhere(path, out error);
            if (library == IntPtr.Zero) tried.Add(path + ": " + error);
            return library;
        }

        private static IntPtr OpenOnLinux(string path, out string error)
        {
            // The runtime calls dlopen to find this function. Call it once here, so that no dlopen
            // comes between the next two lines.
            dlerror();
            IntPtr library = dlopen(Encoding.UTF8.GetBytes(path + "\0"), Now);
            error = library != IntPtr.Zero ? "" : Utf8.Read(dlerror());
            return library;
        }

        private static IntPtr OpenElsewhere(string path, out string error)
        {
            error = "";
#if NET
            try
            {
                return NativeLibrary.Load(path);
            }
            catch (Exception e) when (e is DllNotFoundException || e is BadImageFormatException)
            {
                error = e.Message;
                return IntPtr.Zero;
            }
#else
            if (!windows_) error = "on this system the package needs .NET 8 or newer";
            IntPtr library = windows_ ? LoadLibraryW(path) : IntPtr.Zero;
            if (windows_ && library == IntPtr.Zero)
                error = "error " + Marshal.GetLastWin32Error();
            return library;
#endif
        }

        // The platforms whose libraries are in the package, as build.sh was told.
        private static string Platforms() => typeof(NativeLoader).Assembly
            .GetCustomAttributes<AssemblyMetadataAttribute>()
            .FirstOrDefault(item => item.Key == "NativePlatforms")?.Value ?? "";

        private static string Explain(List<string> tried)
        {
            string platform = Platform(), platforms = Platforms();
            var text = new StringBuilder("libcontrastive could not be loaded on ").Append(platform)
                .Append(". ");
            if (!platforms.Split(' ').Contains(platform))
                text.Append("This package has no library for that platform. ");
            text.Append("The package has libraries for: ").Append(platforms).Append(". Tried:\n");
            foreach (string attempt in tried) text.Append("  ").Append(attempt).Append('\n');
            return text.Append("Set CONTRASTIVE_LIBRARY to the folder of ").Append(core_)
                .Append('.').ToString();
        }

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(byte[] path, int flags);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlerror();

#if !NET
        [DllImport("kernel32", CharSet = CharSet.Unicode, SetLastError = true)]
        private static extern IntPtr LoadLibraryW(string path);
#endif
    }
}
