// What the tests share: the fixtures, and a small model.
using System;
using System.IO;
using System.Runtime.CompilerServices;
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

        internal static Config Training => Config.Empty.With("method", "clsr").With("batch_size", 4)
            .With("max_steps", 6).With("lr", 0.01).With("optimizer", "adamw");

        internal static Dataset PairData()
        {
            var data = new Dataset();
            foreach ((string a, string b) in Pairs) data.Add(a, b);
            return data;
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
