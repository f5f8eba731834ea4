// What the tests share: the fixtures, and a small model.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json.Nodes;
using System.Threading;
using Contrastive;
using Xunit;

// Handles are counted for the whole process, so tests cannot run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Contrastive.Tests
{
    internal static class Support
    {
        internal static readonly (string A, string B)[] Pairs =
        {
            ("the cat sat", "a cat sits"), ("a dog runs", "the dog ran"),
            ("two birds fly", "birds in the air"), ("the old house", "a very old house"),
            ("red and blue", "blue and red"), ("one man walks", "a man is walking"),
            ("she eats fish", "fish is eaten"), ("it is closed", "closed today")
        };

        internal static string Root { get; } = FindRoot();

        internal static string Fixture(string name) =>
            Path.Combine(Root, "tests", "fixtures", name);

        internal static SentenceEncoder Tiny() => SentenceEncoder.Load(Fixture("models/bert_st"));

        /// <summary>Why no test can train here; null if they can.</summary>
        internal static readonly string? NoTraining = BuildInfo.Get().LibTorchReason;

        internal static Config Training => Config.Empty.With("method", "clsr").With("batch_size", 4)
            .With("max_steps", 6).With("lr", 0.01).With("optimizer", "adamw");

        internal static Dataset PairData()
        {
            var data = new Dataset();
            foreach ((string a, string b) in Pairs) data.Add(a, b);
            return data;
        }

        /// <summary>Writes a copy of the small model with so many positions that it takes about 20
        /// MB.</summary>
        internal static void LargeModel(string folder)
        {
            const int Positions = 150000, Before = 40, Columns = 32;
            const string Name = "embeddings.position_embeddings.weight";
            string tiny = Fixture("models/bert_st");
            foreach (string file in Directory.GetFiles(tiny, "*", SearchOption.AllDirectories))
            {
                string target = Path.Combine(folder, Path.GetRelativePath(tiny, file));
                Directory.CreateDirectory(Path.GetDirectoryName(target)!);
                File.Copy(file, target);
            }
            string config = Path.Combine(folder, "config.json"),
                weights = Path.Combine(folder, "model.safetensors");
            File.WriteAllText(config, File.ReadAllText(config).Replace(
                "\"max_position_embeddings\": " + Before,
                "\"max_position_embeddings\": " + Positions));
            byte[] old = File.ReadAllBytes(weights);
            int header = (int)BitConverter.ToInt64(old, 0);
            JsonObject tensors =
                JsonNode.Parse(Encoding.UTF8.GetString(old, 8, header))!.AsObject();
            using var data = new MemoryStream();
            foreach ((string name, JsonNode? tensor) in tensors)
            {
                if (name == "__metadata__") continue;
                var offsets = tensor!["data_offsets"]!.AsArray();
                int begin = (int)offsets[0]!, end = (int)offsets[1]!;
                long start = data.Position;
                data.Write(old, 8 + header + begin, end - begin);
                if (name.EndsWith(Name, StringComparison.Ordinal))
                {
                    data.Write(new byte[(Positions - Before) * Columns * sizeof(float)]);
                    tensor["shape"] = new JsonArray(Positions, Columns);
                }
                tensor["data_offsets"] = new JsonArray(start, data.Position);
            }
            byte[] words = Encoding.UTF8.GetBytes(tensors.ToJsonString());
            using FileStream output = File.Create(weights);
            output.Write(BitConverter.GetBytes((long)words.Length));
            output.Write(words);
            data.WriteTo(output);
        }

        /// <summary>Waits for what another thread does, at most a minute.</summary>
        internal static void WaitUntil(Func<bool> condition)
        {
            for (Stopwatch time = Stopwatch.StartNew(); !condition(); Thread.Sleep(1))
                Assert.True(time.Elapsed < TimeSpan.FromMinutes(1), "it took over a minute");
        }

        /// <summary>Waits until unreachable objects are collected and this number of native ones is
        /// left.</summary>
        internal static void ExpectLive(long handles)
        {
            for (int i = 0; i < 100 && Library.LiveHandles > handles; ++i)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Thread.Sleep(i);
            }
            Assert.Equal(handles, Library.LiveHandles);
        }

        /// <summary>Runs code on a separate thread, so that its stack keeps no object alive
        /// afterwards.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Elsewhere(Action code)
        {
            Exception? failure = null;
            var thread = new Thread(() =>
            {
                try
                {
                    code();
                }
                catch (Exception e)
                {
                    failure = e;
                }
            });
            thread.Start();
            thread.Join();
            if (failure != null)
                throw new InvalidOperationException("on the other thread: " + failure.Message,
                    failure);
        }

        /// <summary>The resident memory of this process.</summary>
        internal static long ResidentBytes() => long.Parse(
            File.ReadAllText("/proc/self/statm").Split(' ')[1]) * Environment.SystemPageSize;

        internal static void Near(ReadOnlySpan<float> expected, ReadOnlySpan<float> actual,
            double tolerance)
        {
            Assert.Equal(expected.Length, actual.Length);
            for (int i = 0; i < actual.Length; ++i)
                Assert.InRange(actual[i] - expected[i], -tolerance, tolerance);
        }

        private static string FindRoot()
        {
            string? folder = AppContext.BaseDirectory;
            while (folder != null && !Directory.Exists(Path.Combine(folder, "tests", "fixtures")))
                folder = Path.GetDirectoryName(folder);
            return folder ?? throw new InvalidOperationException(
                "tests/fixtures is in no folder above " + AppContext.BaseDirectory);
        }
    }

    /// <summary>A test that trains. It is skipped where training is not installed.</summary>
    public sealed class TrainingFactAttribute : FactAttribute
    {
        public TrainingFactAttribute() => Skip = Support.NoTraining!;
    }

    /// <summary>A temporary folder for one test.</summary>
    internal sealed class TemporaryFolder : IDisposable
    {
        internal string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(),
            "contrastive-" + Guid.NewGuid().ToString("N"));

        internal TemporaryFolder() => Directory.CreateDirectory(Path);

        internal string this[string name] => System.IO.Path.Combine(Path, name);

        public void Dispose() => Directory.Delete(Path, recursive: true);
    }
}
