// Contrastive.Probe in a process of its own: what is loaded in this one stays.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;

namespace Contrastive.Tests
{
    internal static class ProbeProcess
    {
        private static readonly string[] Assemblies = { "Contrastive.Probe.dll",
            "Contrastive.dll" };

        /// <summary>Runs the probe in a folder, with or without the native libraries, and returns
        /// its output.</summary>
        internal static string Run(string folder,
            params (string Name, string Value)[] environment) =>
            Run(folder, new string[0], environment);

        /// <summary>Runs the probe with arguments.</summary>
        internal static string Run(string folder, string[] arguments,
            params (string Name, string Value)[] environment) =>
            RunToItsEnd(folder, arguments, environment).Output;

        /// <summary>Runs the probe, and returns its exit status and output.</summary>
        internal static (int Status, string Output) RunToItsEnd(string folder, string[] arguments,
            params (string Name, string Value)[] environment)
        {
            foreach (string name in Assemblies)
                File.Copy(Path.Combine(AppContext.BaseDirectory, name), Path.Combine(folder, name),
                    overwrite: true);
            // .NET needs this file to start a program.
            File.Copy(
                Path.Combine(AppContext.BaseDirectory, "Contrastive.Tests.runtimeconfig.json"),
                Path.Combine(folder, "Contrastive.Probe.runtimeconfig.json"), overwrite: true);
            var start = new ProcessStartInfo
            {
                FileName = Process.GetCurrentProcess().MainModule!.FileName,  // dotnet
                Arguments = string.Join(" ",
                    new[] { Path.Combine(folder, "Contrastive.Probe.dll") }.Concat(arguments)
                    .Select(word => "\"" + word + "\"")),
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false
            };
            start.EnvironmentVariables.Remove("CONTRASTIVE_LIBRARY");
            start.EnvironmentVariables.Remove("CONTRASTIVE_LIBTORCH");
            foreach ((string name, string value) in environment)
                start.EnvironmentVariables[name] = value;
            using Process process = Process.Start(start)!;
            using var late = new Timer(_ => process.Kill(), null, TimeSpan.FromMinutes(2),
                Timeout.InfiniteTimeSpan);
            string output = process.StandardOutput.ReadToEnd() + process.StandardError.ReadToEnd();
            process.WaitForExit();
            return (process.ExitCode, output);
        }

        /// <summary>Copies the libraries that embed, and the training plugin if
        /// requested.</summary>
        internal static void CopyNatives(string target, bool training = false)
        {
            Directory.CreateDirectory(target);
            foreach (string name in new[] { "libcontrastive_csharp.so", "libcontrastive.so.0",
                "libcontrastive-torch.so.0" }.Take(training ? 3 : 2))
                File.Copy(Path.Combine(AppContext.BaseDirectory, name), Path.Combine(target, name));
        }
    }
}
