// What the native library is, and what holds for the whole process.
using System;
using System.Globalization;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What the library in use is made of and where it was found: the first thing to print when something is odd.</summary>
    public sealed class BuildInfo
    {
        private BuildInfo(string json)
        {
            XElement info = Contrastive.Interop.Json.Parse(json);
            string Text(string key) => Contrastive.Interop.Json.Text(info, key) ?? "";
            Json = json;
            LibTorch = Text("libtorch");
            LibTorchPath = Text("libtorch_path");
            LibraryPath = Text("library_path");
            Cpu = Text("cpu");
            Threads = int.Parse(Text("threads"), CultureInfo.InvariantCulture);
        }

        /// <summary>The library's version, "MAJOR.MINOR.PATCH".</summary>
        public static string Version => Required(Native.cs_version);
        /// <summary>The number of its binary interface.</summary>
        public static int AbiVersion => Required(Native.cs_abi_version);
        /// <summary>How many native objects of all kinds exist in this process: a leak test compares it before and after.</summary>
        public static long LiveHandles => Required(Native.cs_live_handles);

        /// <summary>Asks the library.</summary>
        public static BuildInfo Current() => new BuildInfo(Required(Native.cs_build_info));

        private static T Required<T>(Func<T> ask)
        {
            NativeLoader.Require();
            return ask();
        }

        /// <summary>Everything it tells, as JSON.</summary>
        public string Json { get; }
        /// <summary>The version of LibTorch.</summary>
        public string LibTorch { get; }
        /// <summary>Where LibTorch was found.</summary>
        public string LibTorchPath { get; }
        /// <summary>Where libcontrastive was found.</summary>
        public string LibraryPath { get; }
        /// <summary>The instruction set that LibTorch chose.</summary>
        public string Cpu { get; }
        /// <summary>How many threads one call computes with.</summary>
        public int Threads { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
