// What the native library is, and what holds for the whole process.
using System;
using System.Globalization;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What the library in use is made of and where it was found: the first thing to print
    /// when something is odd.</summary>
    public sealed class BuildInfo
    {
        private BuildInfo(string json)
        {
            XElement info = Contrastive.Interop.Json.Parse(json);
            string Text(string key) => Contrastive.Interop.Json.Text(info, key) ?? "";
            Json = json;
            Version = Text("version");
            AbiVersion = int.Parse(Text("abi"), CultureInfo.InvariantCulture);
            LibTorch = Text("libtorch");
            LibTorchPath = Text("libtorch_path");
            LibTorchReason = Text("libtorch_reason");
            LibraryPath = Text("library_path");
            Cpu = Text("cpu");
            Threads = int.Parse(Text("threads"), CultureInfo.InvariantCulture);
        }

        /// <summary>Asks the library. That loads the part that trains, and LibTorch, where they are
        /// installed.</summary>
        public static BuildInfo Get()
        {
            NativeLoader.Require();
            return new BuildInfo(Native.cs_build_info());
        }

        /// <summary>Everything it tells, as JSON.</summary>
        public string Json { get; }
        /// <summary>The library's version, "MAJOR.MINOR.PATCH".</summary>
        public string Version { get; }
        /// <summary>The number of its binary interface.</summary>
        public int AbiVersion { get; }
        /// <summary>The version of LibTorch; "" where training is not installed.</summary>
        public string LibTorch { get; }
        /// <summary>Where LibTorch was found; "" likewise.</summary>
        public string LibTorchPath { get; }
        /// <summary>Why there is no training, if so.</summary>
        public string LibTorchReason { get; }
        /// <summary>Where libcontrastive was found.</summary>
        public string LibraryPath { get; }
        /// <summary>The instruction set that encoding uses.</summary>
        public string Cpu { get; }
        /// <summary>How many threads one call computes with.</summary>
        public int Threads { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
