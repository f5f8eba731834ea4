// Finding the native libraries, in processes of their own: what is loaded in this one stays.
using System;
using System.Diagnostics;
using System.IO;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LoaderTests
    {
        [Fact]
        public void SaysWhatWasTriedWhereNothingIsFound()
        {
            using var folder = new TemporaryFolder();
            string output = ProbeProcess.Run(folder.Path);
            int explained = output.Split(new[] { "DllNotFoundException: libcontrastive could not " +
                "be loaded on linux-x64. The package has libraries for: linux-x64. Tried:" },
                StringSplitOptions.None).Length - 1;
            // Every entry point of the library explains the failure.
            Assert.Contains("\n" + explained + " entries", output);
            Assert.Contains(folder["libcontrastive_csharp.so"] + ": no such file", output);
            Assert.Contains(folder[Path.Combine("runtimes", "linux-x64", "native",
                "libcontrastive_csharp.so")] + ": no such file", output);
            Assert.Contains("cannot open shared object file", output);
            Assert.Contains("CONTRASTIVE_LIBRARY", output);
        }

        [Fact]
        public void RefusesALibraryOfAnotherInterface()
        {
            using var folder = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder[""]);
            File.WriteAllText(folder["other.c"], "int cs_abi_version(void) { return 77; }\n");
            using (Process compiler = Process.Start("cc",
                "-shared -fPIC -o " + folder["other.so"] + " " + folder["other.c"])!)
            {
                compiler.WaitForExit();
                Assert.Equal(0, compiler.ExitCode);
            }
            string output = ProbeProcess.Run(folder.Path, ("LD_PRELOAD", folder["other.so"]));
            Assert.Contains("binary interface 77; this package was made for 0", output);
        }

        [Fact]
        public void FindsThePackagesFolders()
        {
            foreach (string place in new[] { "", "runtimes/linux-x64/native" })
            {
                using var folder = new TemporaryFolder();
                ProbeProcess.CopyNatives(folder[place]);
                Assert.Contains("version " + Library.Version, ProbeProcess.Run(folder.Path));
            }
        }

        [Fact]
        public void FindsAnUnpackedPackage()
        {
            using var folder = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder["runtimes/linux-x64/native"]);
            Directory.CreateDirectory(folder["lib/netstandard2.0"]);
            Assert.Contains("version " + Library.Version,
                ProbeProcess.Run(folder["lib/netstandard2.0"]));
        }

        [Fact]
        public void TheEnvironmentNamesALibrary()
        {
            using var folder = new TemporaryFolder();
            using var other = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder[""]);
            File.Move(folder["libcontrastive.so.0"], other["libcontrastive.so.0"]);
            foreach (string named in new[] { other.Path, other["libcontrastive.so.0"] })
                Assert.Contains("library " + other["libcontrastive.so.0"],
                    ProbeProcess.Run(folder.Path, ("CONTRASTIVE_LIBRARY", named)));
            Assert.Contains("libcontrastive.so.0: cannot open shared object file",
                ProbeProcess.Run(folder.Path));
            string refused = ProbeProcess.Run(folder.Path,
                ("CONTRASTIVE_LIBRARY", "/no/such/folder"));
            Assert.Contains("/no/such/folder: no such file", refused);
        }
    }
}
