// Many threads do to the library what programs do, all at once and partly wrong: load, encode,
// search, train, take snapshots, cancel, dispose, forget, interrupt, replace the log
// sink, change arrays during calls. It ends with 1 where a call gives what is not documented or a
// wrong vector, where objects, memory, descriptors or threads accumulate, and with 2 where a call
// hangs, saying what every thread was doing. storm.sh runs it.
//
// Arguments: the folder of the tiny model, seconds, and a seed. Time is cut into rounds. Between
// two of them everything is disposed of or collected; what a round leaves behind is measured then,
// as the tests of flat memory do: what leaks grows in every round.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace Contrastive.Storm
{
    internal sealed class Wrong : Exception
    {
        internal Wrong(string message) : base(message) { }
    }

    internal readonly struct Usage
    {
        internal readonly long Kilobytes;
        internal readonly int Files, Threads;
        internal readonly long Handles;

        private Usage(long kilobytes, int files, int threads, long handles)
        {
            Kilobytes = kilobytes;
            Files = files;
            Threads = threads;
            Handles = handles;
        }

        internal static Usage Now() => new Usage(long.Parse(
            File.ReadAllText("/proc/self/statm").Split(' ')[1]) * Environment.SystemPageSize / 1024,
            Directory.GetFileSystemEntries("/proc/self/fd").Length,
            Directory.GetDirectories("/proc/self/task").Length, Library.LiveHandles);
    }

    internal sealed partial class Program
    {
        private const int Workers = 8, HangSeconds = 60;
        // Allowed growth in a round. A round below it shows that calls do not leak.
        private const long GrowthKilobytes = 4096;
        private const int LongSeconds = 600;
        private const double MostHourly = 48;  // MB in a run of that length: about 8 bytes an event
        private const long MostLeft = 2;

        private static readonly string[] Texts = { "", " ", "the cat sat", "a dog runs",
            "two birds fly over the old house", "😀 é ø 漢字", new string('x', 200), string.Concat(
                Enumerable.Repeat("the cat sat on the mat and the dog ran over the old house ", 8)),
            "red and blue", "a\0b" };
        private static readonly (string A, string B)[] Pairs = { ("the cat sat", "a cat sits"),
            ("a dog runs", "the dog ran"), ("two birds fly", "birds in the air"),
            ("the old house", "a very old house"), ("red and blue", "blue and red") };

        private readonly string model_, name_, scratch_ = Path.Combine(Path.GetTempPath(),
            "contrastive-storm-" + Guid.NewGuid().ToString("N"));
        private readonly Config training_ = Config.Empty.With("method", "clsr").With("batch_size",
            4).With("lr", 0.001).With("clsr.dimension", 8).With("clsr.hidden", 8);
        private readonly float[][] expected_;
        private readonly int[] expectedIds_;
        private readonly int dimension_;
        private readonly string[] changingTexts_ = Enumerable.Repeat("the cat sat", 20).ToArray();
        private readonly byte[] changingBytes_ =
            Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("the càt sat ", 20)));
        private readonly int[] changingOffsets_ = Enumerable.Range(0, 21).Select(i => 13 * i)
            .ToArray();
        private readonly ConcurrentDictionary<string, long> counts_ =
            new ConcurrentDictionary<string, long>();
        private readonly Worker[] workers_ = new Worker[Workers];
        private readonly Barrier barrier_ = new Barrier(Workers + 1);
        private SentenceEncoder? shared_;
        private Trainer? sharedTrainer_;
        private Exception? surprise_;
        private long roundEnd_;
        // Not in counts_: its lock is a wait, which a second interruption would end.
        private long interrupted_;
        private volatile bool over_;

        // Milliseconds.
        private static long Now() => Stopwatch.GetTimestamp() * 1000 / Stopwatch.Frequency;

        private Program(string model)
        {
            model_ = model;
            name_ = "storm csharp-net" + Environment.Version.Major;
            Directory.CreateDirectory(scratch_);
            using SentenceEncoder encoder = SentenceEncoder.Load(model);
            expected_ = encoder.Encode(Texts).Select(row => row.ToArray()).ToArray();
            expectedIds_ = encoder.Tokenize(Texts[2]).Ids.ToArray();
            dimension_ = encoder.Dimension;
        }

        private void Count(string what) => counts_.AddOrUpdate(what, 1, (key, value) => value + 1);

        private void Surprise(Exception e) => Interlocked.CompareExchange(ref surprise_, e, null);

        /// <summary>Makes a call that may be refused in these ways, because of other
        /// threads.</summary>
        private void May(Action call)
        {
            try
            {
                call();
            }
            catch (ObjectDisposedException)
            {
                Count("refused disposed");
            }
            catch (OperationCanceledException)
            {
                Count("refused cancelled");
            }
            catch (ContrastiveException e) when (e.Kind == ErrorKind.Busy)
            {
                Count("refused busy");
            }
        }

        /// <summary>Misuses the API: the call must throw this exception, and its message must
        /// contain this part.</summary>
        private void Must<T>(string part, Action call) where T : Exception
        {
            try
            {
                call();
            }
            catch (Exception e) when (e.GetType() == typeof(T))
            {
                if (!e.Message.Contains(part))
                    throw new Wrong("'" + e.Message + "' does not contain '" + part + "'");
                Count("refused " + typeof(T).Name);
                return;
            }
            throw new Wrong("misuse was not refused by " + typeof(T).Name);
        }

        private void Must(ErrorKind kind, Action call)
        {
            try
            {
                call();
            }
            catch (ContrastiveException e) when (e.Kind == kind)
            {
                if (e.Message.Length == 0)
                    throw new Wrong("misuse was refused by " + kind + " without a message");
                Count("refused " + kind);
                return;
            }
            throw new Wrong("misuse was not refused by " + kind);
        }

        private void Check(ReadOnlySpan<float> got, int text)
        {
            for (int j = 0; j < dimension_; ++j)
                if (!(Math.Abs(got[j] - expected_[text][j]) <= 1e-6))
                    throw new Wrong("text " + text + ", float " + j + ": " + got[j] +
                        " instead of " + expected_[text][j]);
            Count("vectors compared");
        }

        /// <summary>Interrupts workers, changes their arrays, collects garbage, and looks for
        /// threads that hang.</summary>
        private void Pester(int seed)
        {
            var random = new Random(seed);
            string?[] others = { null, "", new string('é', 2000), "a dog runs", "the cat sat" };
            int[] right = changingOffsets_.ToArray(),
                wrong = { int.MaxValue, -1, 1 << 30, int.MinValue };
            for (int i = 0; !over_; ++i)
            {
                for (int j = 0; j < 200; ++j)
                {
                    int at = random.Next(right.Length);
                    Volatile.Write(ref changingOffsets_[at],
                        random.Next(2) == 0 ? right[at] : wrong[random.Next(wrong.Length)]);
                    Volatile.Write(ref changingTexts_[random.Next(changingTexts_.Length)],
                        others[random.Next(others.Length)]!);
                    changingBytes_[random.Next(changingBytes_.Length)] = (byte)random.Next(256);
                }
                if (i % 2 == 0)
                {
                    Array.Copy(right, changingOffsets_, right.Length);
                    for (int j = 0; j < changingTexts_.Length; ++j)
                        changingTexts_[j] = "the cat sat";
                }
                if (i % 8 == 0) workers_[random.Next(Workers)].Interrupt();
                if (i % 50 == 0) GC.Collect();
                if (i % 500 == 0) Watch();
                Thread.Sleep(1);
            }
        }

        private void Watch()
        {
            // A thread still waits at the end of the round.
            bool overdue = Now() - Volatile.Read(ref roundEnd_) > 2 * HangSeconds * 1000;
            if (!overdue && workers_.All(worker => Volatile.Read(ref worker.Since) ==
                long.MaxValue || Now() - worker.Since < HangSeconds * 1000))
                return;
            string hangs = overdue ? "nobody came back from the end of a round for " +
                2 * HangSeconds : "a call hangs since " + HangSeconds;
            Console.WriteLine(name_ + ": FAILED: " + hangs + " s");
            foreach (Worker worker in workers_)
                Console.WriteLine("  a thread does '" + worker.Doing + "' since " +
                    (worker.Since == long.MaxValue ? 0 : (Now() - worker.Since) / 1000) + " s");
            Console.Out.Flush();
            Environment.Exit(2);
        }

        /// <summary>Disposes of the shared objects, collects the others, and measures.</summary>
        private Usage Quiet()
        {
            Interlocked.Exchange(ref shared_, null)?.Dispose();
            Interlocked.Exchange(ref sharedTrainer_, null)?.Dispose();
            Library.SetLogSink(null);
            for (int i = 0; i < 100 && Library.LiveHandles > 0; ++i)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Thread.Sleep(10);
            }
            return Usage.Now();
        }

        private int Run(int seconds, int seed)
        {
            int roundSeconds = Math.Max(2, Math.Min(30, seconds / 6)),
                rounds = Math.Max(3, seconds / roundSeconds);
            Volatile.Write(ref roundEnd_, Now() + roundSeconds * 1000);
            for (int i = 0; i < Workers; ++i) workers_[i] = new Worker(this, i, seed);
            foreach (Worker worker in workers_) worker.Thread.Start();
            var pest = new Thread(() => Pester(seed + 1000)) { IsBackground = true };
            pest.Start();

            var usages = new List<Usage>();
            long began = Now();
            for (int round = 0; round < rounds && surprise_ == null; ++round)
            {
                barrier_.SignalAndWait();
                usages.Add(Quiet());
                over_ = round + 1 == rounds || surprise_ != null;
                Volatile.Write(ref roundEnd_, Now() + roundSeconds * 1000);
                barrier_.SignalAndWait();
            }
            foreach (Worker worker in workers_) worker.Thread.Join(HangSeconds * 1000);
            pest.Join();
            Directory.Delete(scratch_, recursive: true);
            if (surprise_ != null)
            {
                Console.WriteLine(surprise_);
                Console.WriteLine(name_ + ": FAILED: seed " + seed);
                return 1;
            }
            return Judge(usages, (Now() - began) / 1000, seed);
        }

        private int Judge(List<Usage> usages, long seconds, int seed)
        {
            var complaints = new List<string>();
            // The first rounds fill caches, arenas and the heap of the runtime.
            int warm = usages.Count / 3;
            Usage first = usages[warm], last = usages[usages.Count - 1];
            long least = long.MaxValue;
            for (int i = warm + 1; i < usages.Count; ++i)
                least = Math.Min(least, usages[i].Kilobytes - usages[i - 1].Kilobytes);
            long left = usages.Max(usage => usage.Handles);
            double hourly = Slope(usages.Skip(warm).ToList(), seconds / (double)usages.Count);
            if (seconds >= LongSeconds && hourly > MostHourly)
                complaints.Add("resident memory grew by " + hourly.ToString("0.0") + " MB an hour");
            if (left > MostLeft)
                complaints.Add(left + " native objects were left after a round");
            if (least > GrowthKilobytes)
                complaints.Add("resident memory grew by " + least + " KB and more in every round");
            if (last.Files > first.Files + 4)
                complaints.Add("open files went from " + first.Files + " to " + last.Files);
            if (last.Threads > first.Threads + 8)
                complaints.Add("threads went from " + first.Threads + " to " + last.Threads);
            foreach (string needed in new[] { "vectors compared", "load", "snapshot", "search",
                "train", "train shared", "cancel", "log", "misuse", "changing arrays",
                "thread of one call", "messages", "refused cancelled" })
                if (!counts_.ContainsKey(needed))
                    complaints.Add("nothing was counted as '" + needed + "'");
            if (interrupted_ == 0) complaints.Add("nobody was interrupted");
            foreach (string complaint in complaints)
                Console.WriteLine(name_ + ": FAILED: " + complaint);
            Console.WriteLine(name_ + ": " + string.Join(", ", counts_.OrderBy(one => one.Key,
                StringComparer.Ordinal).Select(one => one.Key + "=" + one.Value)));
            Console.WriteLine(name_ + ": resident memory after each round, MB: " +
                string.Join(" ", usages.Select(usage => usage.Kilobytes / 1024)));
            // Less than two minutes of measurements say nothing about an hour.
            string slope = seconds < 120 ? ""
                : ", " + hourly.ToString("+0.0;-0.0") + " MB an hour over the last " +
                (usages.Count - warm) + " of " + usages.Count + " rounds";
            Console.WriteLine(name_ + ": " + seconds + " s, " + Workers + " threads, " +
                counts_.Values.Sum() + " events, " + interrupted_ + " interruptions; memory " +
                least.ToString("+0;-0;+0") + " KB in the best round" + slope + "; files " +
                first.Files + " to " + last.Files + ", threads " + first.Threads + " to " +
                last.Threads + ", objects left " + left + "; seed " + seed);
            return complaints.Count == 0 ? 0 : 1;
        }

        /// <summary>The slope of a straight line through the measurements, in megabytes an
        /// hour.</summary>
        private static double Slope(List<Usage> usages, double roundSeconds)
        {
            double middle = (usages.Count - 1) / 2.0,
                mean = usages.Average(usage => usage.Kilobytes), up = 0, across = 0;
            for (int i = 0; i < usages.Count; ++i)
            {
                up += (i - middle) * (usages[i].Kilobytes - mean);
                across += (i - middle) * (i - middle);
            }
            return across == 0 ? 0 : up / across / 1024 * 3600 / roundSeconds;
        }

        private static int Main(string[] arguments)
        {
            int seed = arguments.Length > 2 ? int.Parse(arguments[2])
                : Environment.TickCount & 0xFFFFFF;
            return new Program(arguments[0]).Run(int.Parse(arguments[1]), seed);
        }
    }
}
