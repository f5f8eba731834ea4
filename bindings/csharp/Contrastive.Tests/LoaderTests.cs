// Finding the native libraries, in processes of their own: what is loaded in this one stays.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LoaderTests
    {
        private static readonly string[] Assemblies = { "Contrastive.Probe.dll", "Contrastive.dll",
            "System.Memory.dll", "System.Runtime.CompilerServices.Unsafe.dll", "System.Numerics.Vectors.dll" };

        /// <summary>Runs the program that prints the library's version, in a folder with the natives or without them.</summary>
        private static string Probe(string folder, string? library, string? libTorch = null, string? preload = null)
        {
            foreach (string name in Assemblies.Where(name => File.Exists(Path.Combine(AppContext.BaseDirectory, name))))
                File.Copy(Path.Combine(AppContext.BaseDirectory, name), Path.Combine(folder, name), overwrite: true);
            string framework = Path.Combine(AppContext.BaseDirectory, "Contrastive.Tests.runtimeconfig.json");  // what .NET starts a program with
            if (File.Exists(framework)) File.Copy(framework, Path.Combine(folder, "Contrastive.Probe.runtimeconfig.json"), overwrite: true);
            var start = new ProcessStartInfo
            {
                FileName = Process.GetCurrentProcess().MainModule!.FileName,  // mono or dotnet
                Arguments = "\"" + Path.Combine(folder, "Contrastive.Probe.dll") + "\"",
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false
            };
            start.EnvironmentVariables.Remove("CONTRASTIVE_LIBRARY");
            start.EnvironmentVariables.Remove("CONTRASTIVE_LIBTORCH");
            if (preload != null) start.EnvironmentVariables["LD_PRELOAD"] = preload;
            if (libTorch != null) start.EnvironmentVariables["CONTRASTIVE_LIBTORCH"] = libTorch;
            if (library != null) start.EnvironmentVariables["CONTRASTIVE_LIBRARY"] = library;
            using Process process = Process.Start(start)!;
            string output = process.StandardOutput.ReadToEnd() + process.StandardError.ReadToEnd();
            process.WaitForExit();
            return output;
        }

        private static void CopyNatives(string target)
        {
            Directory.CreateDirectory(target);
            foreach (string name in new[] { "libcontrastive_csharp.so", "libcontrastive.so.0" })
                File.Copy(Path.Combine(AppContext.BaseDirectory, name), Path.Combine(target, name));
        }

        [Fact]
        public void SaysWhatWasTriedWhereNothingIsFound()
        {
            using var folder = new TemporaryFolder();
            string output = Probe(folder.Path, null);
            int explained = output.Split(new[] { "DllNotFoundException: libcontrastive could not be loaded on linux-x64. Tried:" },
                StringSplitOptions.None).Length - 1;
            Assert.Contains("\n" + explained + " entries", output);  // every way into the library explains itself
            Assert.Contains(folder["libcontrastive_csharp.so"] + ": no such file", output);
            Assert.Contains(folder[Path.Combine("runtimes", "linux-x64", "native", "libcontrastive_csharp.so")] + ": no such file", output);
            Assert.Contains("cannot open shared object file", output);
            Assert.Contains("CONTRASTIVE_LIBRARY", output);
        }

        [Fact]
        public void RefusesALibraryOfAnotherInterface()
        {
            using var folder = new TemporaryFolder();
            CopyNatives(folder[""]);
            File.WriteAllText(folder["other.c"], "int cs_abi_version(void) { return 77; }\n");
            using (Process compiler = Process.Start("cc", "-shared -fPIC -o " + folder["other.so"] + " " + folder["other.c"])!)
            {
                compiler.WaitForExit();
                Assert.Equal(0, compiler.ExitCode);
            }
            string output = Probe(folder.Path, null, null, folder["other.so"]);
            Assert.Contains("binary interface 77; this package was made for 0", output);
        }

        [Fact]
        public void FindsThePackagesFolders()
        {
            foreach (string place in new[] { "", "runtimes/linux-x64/native" })
            {
                using var folder = new TemporaryFolder();
                CopyNatives(folder[place]);
                Assert.Contains("version " + Library.Version, Probe(folder.Path, null));
            }
        }

        [Fact]
        public void FindsAnUnpackedPackage()
        {
            using var folder = new TemporaryFolder();
            CopyNatives(folder["runtimes/linux-x64/native"]);
            Directory.CreateDirectory(folder["lib/netstandard2.0"]);
            Assert.Contains("version " + Library.Version, Probe(folder["lib/netstandard2.0"], null));
        }

        [Fact]
        public void ANameOfNoLibTorchIsAnErrorThoughAnotherWouldLoad()
        {
            using var folder = new TemporaryFolder();
            CopyNatives(folder[""]);
            string output = Probe(folder.Path, null, "/no/such/torch");
            Assert.Contains("DllNotFoundException: CONTRASTIVE_LIBTORCH=/no/such/torch names no LibTorch that can be loaded "
                + "(/no/such/torch/libc10.so: no such file). Name the folder that holds lib/libc10.so", output);
            string own = Path.GetDirectoryName(BuildInfo.Get().LibTorchPath.TrimEnd('/'))!;
            string torch = Directory.Exists(Path.Combine(BuildInfo.Get().LibTorchPath, "lib")) ? BuildInfo.Get().LibTorchPath : own;
            Assert.Contains("version " + Library.Version, Probe(folder.Path, null, torch));
            Assert.Contains("version " + Library.Version, Probe(folder.Path, null, Path.Combine(torch, "lib")));
        }

        [Fact]
        public void TheEnvironmentNamesALibrary()
        {
            using var folder = new TemporaryFolder();
            using var other = new TemporaryFolder();
            CopyNatives(folder[""]);
            File.Move(folder["libcontrastive.so.0"], other["libcontrastive.so.0"]);
            Assert.Contains("library " + other["libcontrastive.so.0"], Probe(folder.Path, other.Path));
            Assert.Contains("library " + other["libcontrastive.so.0"], Probe(folder.Path, other["libcontrastive.so.0"]));
            Assert.Contains("libcontrastive.so.0: cannot open shared object file", Probe(folder.Path, null));
            string refused = Probe(folder.Path, "/no/such/folder");
            Assert.Contains("/no/such/folder: no such file", refused);
        }
    }
}
