// Information about the loaded native library.
using System;
using System.Globalization;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Information about the loaded library: versions, CPU and LibTorch, and where it was
    /// found. Print it first when something does not work.</summary>
    public sealed class BuildInfo
    {
        private BuildInfo(string json)
        {
            XElement info = Contrastive.Interop.Json.Parse(json);
            string Text(string key) => Contrastive.Interop.Json.Text(info, key) ?? "";
            Json = json;
            Version = Text("version");
            AbiVersion = int.Parse(Text("abi"), CultureInfo.InvariantCulture);
            LibTorch = Contrastive.Interop.Json.Stated(info, "libtorch");
            LibTorchPath = Contrastive.Interop.Json.Stated(info, "libtorch_path");
            LibTorchReason = Contrastive.Interop.Json.Stated(info, "libtorch_reason");
            LibraryPath = Text("library_path");
            Cpu = Text("cpu");
            Threads = int.Parse(Text("threads"), CultureInfo.InvariantCulture);
        }

        /// <summary>Returns the information. Loads the training plugin and LibTorch if they are
        /// installed.</summary>
        public static BuildInfo Get()
        {
            NativeLoader.Require();
            return new BuildInfo(Native.cs_build_info());
        }

        /// <summary>All information as JSON.</summary>
        public string Json { get; }
        /// <summary>The library's version, "MAJOR.MINOR.PATCH".</summary>
        public string Version { get; }
        /// <summary>The number of its binary interface.</summary>
        public int AbiVersion { get; }
        /// <summary>The version of LibTorch; null if training is not installed.</summary>
        public string? LibTorch { get; }
        /// <summary>The folder of LibTorch; null if training is not installed.</summary>
        public string? LibTorchPath { get; }
        /// <summary>Why training is not available; null if it is.</summary>
        public string? LibTorchReason { get; }
        /// <summary>The path of libcontrastive.</summary>
        public string LibraryPath { get; }
        /// <summary>The instruction set that encoding uses.</summary>
        public string Cpu { get; }
        /// <summary>The number of threads that one call uses.</summary>
        public int Threads { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
