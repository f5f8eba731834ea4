// What one thread of the storm does, again and again until the round is over.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;

namespace Contrastive.Storm
{
    internal sealed partial class Program
    {
        private sealed class Worker
        {
            private readonly Program storm_;
            private readonly Random random_;
            private readonly int number_;
            internal readonly Thread Thread;
            internal long Since = Now();
            internal volatile string Doing = "nothing yet";
            private readonly object gate_ = new object();
            private bool working_ = true;  // under gate_: it may be interrupted

            internal Worker(Program storm, int number, int seed)
            {
                storm_ = storm;
                number_ = number;
                random_ = new Random(seed + number);
                Thread = new Thread(Run) { IsBackground = true };
            }

            private void Run()
            {
                while (!storm_.over_)
                {
                    while (Now() < Volatile.Read(ref storm_.roundEnd_) &&
                        Volatile.Read(ref storm_.surprise_) == null)
                    {
                        Volatile.Write(ref Since, Now());
                        try
                        {
                            Act(random_.Next(1000));
                        }
                        catch (ThreadInterruptedException)
                        {
                            Interlocked.Increment(ref storm_.interrupted_);
                        }
                        catch (Exception e)
                        {
                            storm_.Surprise(
                                new InvalidOperationException("while it did '" + Doing + "'", e));
                        }
                    }
                    Volatile.Write(ref Since, long.MaxValue);
                    Works(false);
                    storm_.barrier_.SignalAndWait();  // the round is over
                    storm_.barrier_.SignalAndWait();  // the next round begins
                    Works(true);
                }
            }

            /// <summary>Interrupts the thread at its next wait, inside a call of the library or
            /// between calls.</summary>
            internal void Interrupt()
            {
                lock (gate_)
                {
                    if (working_) Thread.Interrupt();
                }
            }

            /// <summary>Allows interruptions, or forbids them and consumes a pending one.</summary>
            private void Works(bool works)
            {
                for (bool met = false; !met;)
                {
                    try
                    {
                        lock (gate_) working_ = works;
                        if (!works) Thread.Sleep(1);  // a wait, which an interruption ends
                        met = true;
                    }
                    catch (ThreadInterruptedException)
                    {
                        Interlocked.Increment(ref storm_.interrupted_);
                    }
                }
            }

            [MethodImpl(MethodImplOptions.NoInlining)]
            private void Does(string what, Action call)
            {
                Doing = what;
                call();
                storm_.Count(what);
            }

            private void Act(int dice)
            {
                if (dice < 400) Does("encode", Encode);
                else if (dice < 450)
                    Does("load", () => Replace(SentenceEncoder.Load(storm_.model_)));
                else if (dice < 480) Does("snapshot", Snapshot);
                else if (dice < 560) Does("search", Search);
                else if (dice < 620) Does("train", Train);
                else if (dice < 700) Does("train shared", TrainShared);
                else if (dice < 780) Does("cancel", Cancel);
                else if (dice < 820) Does("log", Log);
                else if (dice < 930) Does("misuse", Misuse);
                else if (dice < 980) Does("changing arrays", ChangingArrays);
                else if (dice < 995) Does("thread of one call", ShortThread);
                else Does("save", Save);
            }

            /// <summary>Replaces the shared encoder. The previous one is disposed of, or left to
            /// the garbage collector.</summary>
            private void Replace(SentenceEncoder encoder)
            {
                SentenceEncoder? former = Interlocked.Exchange(ref storm_.shared_, encoder);
                if (random_.Next(4) > 0) former?.Dispose();
            }

            private SentenceEncoder Current()
            {
                SentenceEncoder? encoder = Volatile.Read(ref storm_.shared_);
                if (encoder != null) return encoder;
                encoder = SentenceEncoder.Load(storm_.model_);
                SentenceEncoder? other = Interlocked.CompareExchange(ref storm_.shared_, encoder,
                    null);
                if (other == null) return encoder;
                encoder.Dispose();
                return other;
            }

            private void Encode()
            {
                SentenceEncoder encoder = Current();
                int n = 1 + random_.Next(Texts.Length), first = random_.Next(Texts.Length),
                    d = storm_.dimension_;
                string[] texts = Enumerable.Range(0, n)
                    .Select(i => Texts[(first + i) % Texts.Length]).ToArray();
                int At(int i) => (first + i) % Texts.Length;
                storm_.May(() =>
                {
                    switch (random_.Next(6))
                    {
                        case 0:
                            storm_.Check(encoder.Encode(Texts[first]), first);
                            break;
                        case 1:
                        {
                            var flat = new float[n * d + 3];
                            var tokens = new int[n];
                            encoder.Encode(new ReadOnlySpan<string>(texts), flat, tokens,
                                new EncodeOptions { BatchTokens = 1 + random_.Next(100) });
                            for (int i = 0; i < n; ++i)
                            {
                                storm_.Check(new ReadOnlySpan<float>(flat, i * d, d), At(i));
                                if (tokens[i] < 2)
                                    throw new Wrong("text " + i + " has " + tokens[i] + " tokens");
                            }
                            break;
                        }
                        case 2:
                        {
                            byte[] data = Encoding.UTF8.GetBytes(Texts[first]);
                            var row = new float[d];
                            encoder.EncodeUtf8(data, new[] { 0, data.Length }, row);
                            storm_.Check(row, first);
                            break;
                        }
                        case 3:
                            if (!encoder.Tokenize(Texts[2]).Ids.ToArray()
                                .SequenceEqual(storm_.expectedIds_))
                                throw new Wrong("other tokens");
                            break;
                        default:
                        {
                            Embeddings rows = encoder.Encode(texts.AsEnumerable());
                            for (int i = 0; i < n; ++i) storm_.Check(rows[i].Span, At(i));
                            break;
                        }
                    }
                });
            }

            private void Snapshot() => storm_.May(() =>
            {
                SentenceEncoder copy = Current().Snapshot();
                storm_.Check(copy.Encode(Texts[4]), 4);
                if (random_.Next(2) == 0) Replace(copy);
                else if (random_.Next(2) == 0) copy.Dispose();
            });

            private void Search()
            {
                int n = 1 + random_.Next(200), query = random_.Next(n);
                var rows = new Embeddings(Enumerable.Range(0, n * 16)
                    .Select(i => (float)random_.NextDouble() - 0.5f).ToArray(), 16);
                var one = new Embeddings(rows[query].ToArray(), 16);
                SearchHit best = Contrastive.Search.Nearest(one, rows, 3)[0][0];
                if (best.Score < 1 - 1e-5)
                    throw new Wrong("a vector is " + best.Score + " like itself");
                if (Math.Abs(Similarity.Score(one[0].Span, rows[best.Index].Span) - best.Score) >
                    1e-6)
                    throw new Wrong("another score");
                if (Quantization.Quantize(rows, Precision.Binary).Length != 2 * n)
                    throw new Wrong("rows are missing");
            }

            private Trainer Begin(Dataset? data, int steps) => new Trainer(Current(), data,
                storm_.training_.With("max_steps", steps).With("seed", random_.Next(1000)));

            private void Train() => storm_.May(() =>
            {
                var data = new Dataset();
                foreach ((string a, string b) in Pairs) data.Add(a, b);
                Trainer trainer = Begin(data, 4);
                int steps = 0;
                while (random_.Next(6) > 0 && trainer.Step()) ++steps;
                if (steps > 0 && trainer.Metric("step") != steps)
                    throw new Wrong(trainer.Metric("step") + " steps after " + steps);
                if (random_.Next(2) == 0)
                {
                    SentenceEncoder trained = trainer.Model();
                    if (trained.Encode(Texts[2])
                        .Any(value => float.IsNaN(value) || float.IsInfinity(value)))
                        throw new Wrong("a vector is not finite");
                    if (random_.Next(2) == 0) trained.Dispose();
                }
                if (random_.Next(3) > 0) trainer.Dispose();
                if (random_.Next(3) > 0) data.Dispose();
            });

            /// <summary>Uses the trainer that all threads share. A second caller gets the error
            /// Busy.</summary>
            private void TrainShared() => storm_.May(() =>
            {
                Trainer? trainer = Volatile.Read(ref storm_.sharedTrainer_);
                if (trainer == null || random_.Next(20) == 0)
                {
                    Interlocked.Exchange(ref storm_.sharedTrainer_,
                        Begin(null, 1000000))?.Dispose();
                    return;
                }
                switch (random_.Next(4))
                {
                    case 0:
                        trainer.Metrics();
                        break;
                    case 1:
                    {
                        SentenceEncoder trained = trainer.Model();
                        if (random_.Next(2) == 0) trained.Dispose();
                        break;
                    }
                    default:
                        trainer.Batch(Pairs);
                        break;
                }
            });

            private void Cancel()
            {
                using var source = new CancellationTokenSource();
                string[] many = Enumerable.Repeat(Texts[7], 50 + random_.Next(400)).ToArray();
                int microseconds = random_.Next(20000);
                var other = new Thread(() =>
                {
                    long until = Stopwatch.GetTimestamp() +
                        microseconds * Stopwatch.Frequency / 1000000;
                    while (Stopwatch.GetTimestamp() < until) Thread.SpinWait(20);
                    try
                    {
                        source.Cancel();
                    }
                    catch (ObjectDisposedException)
                    {
                        // The thread that waited for this one was interrupted.
                    }
                }) { IsBackground = true };
                other.Start();
                storm_.May(() =>
                    Current().Encode(many, new EncodeOptions { BatchTokens = 64 }, source.Token));
                other.Join();
                using SentenceEncoder encoder = SentenceEncoder.Load(storm_.model_);
                storm_.Must<OperationCanceledException>("",
                    () => encoder.Encode(many, null, source.Token));
            }

            private void Log()
            {
                Program storm = storm_;
                switch (random_.Next(3))
                {
                    case 0:
                        Library.SetLogSink(null);
                        break;
                    default:
                        Library.SetLogSink((level, message) =>
                        {
                            storm.Count("messages");
                            try
                            {
                                storm.Must(ErrorKind.Busy, () => Library.SetLogSink(null));
                                storm.Must(ErrorKind.Busy, () => Library.SetThreads(1));
                            }
                            catch (ThreadInterruptedException)
                            {
                                Interlocked.Increment(ref storm.interrupted_);
                            }
                            catch (Exception e)
                            {
                                storm.Surprise(e);
                            }
                            throw new InvalidOperationException("a sink that throws");
                        }, random_.Next(2) == 0 ? LogSeverity.Info : LogSeverity.Debug);
                        break;
                }
            }

            private void Misuse()
            {
                Program s = storm_;
                switch (random_.Next(12))
                {
                    case 0:
                    {
                        SentenceEncoder closed = SentenceEncoder.Load(s.model_);
                        closed.Dispose();
                        closed.Dispose();
                        s.Must<ObjectDisposedException>("SentenceEncoder",
                            () => closed.Encode("a"));
                        s.Must<ObjectDisposedException>("SentenceEncoder", () => closed.Snapshot());
                        s.Must<ObjectDisposedException>("SentenceEncoder",
                            () => new Trainer(closed, null, s.training_));
                        break;
                    }
                    case 1:
                        s.Must<ArgumentNullException>("text",
                            () => Current().Encode((string)null!));
                        break;
                    case 2:
                        s.Must<ArgumentException>("Text 1 is null",
                            () => Current().Encode(new[] { "a", null! }));
                        break;
                    case 3:
                        s.Must<ArgumentException>("2 and 3",
                            () => Similarity.Score(new float[2], new float[3]));
                        break;
                    case 4:
                        s.Must<ArgumentException>("not a whole number",
                            () => Similarity.Matrix(new float[5], new float[4], 2, new float[4]));
                        break;
                    case 5:
                        s.Must<ArgumentException>("room for 3",
                            () => Similarity.Matrix(new float[4], new float[4], 2, new float[3]));
                        break;
                    case 6:
                        s.Must(ErrorKind.NotFound,
                            () => SentenceEncoder.Load(Path.Combine(s.scratch_, "nowhere")));
                        break;
                    case 7:
                        s.Must(ErrorKind.Argument, () => SentenceEncoder.Load(s.model_,
                            Config.Empty.With("precison", "float32")));
                        break;
                    case 8:
                        s.Must(ErrorKind.Format, () => Config.Parse("{\"a\": "));
                        break;
                    case 9:
                    {
                        using SentenceEncoder encoder = SentenceEncoder.Load(s.model_);
                        s.Must(ErrorKind.Argument, () =>
                            encoder.Encode("a", new EncodeOptions { Pooling = "meen" }));
                        s.Must<ArgumentException>("room for",
                            () => encoder.Encode("a", new float[encoder.Dimension - 1]));
                        s.Must<ArgumentException>("Offsets reach", () => encoder.EncodeUtf8(
                            new byte[4], new[] { 0, 5 }, new float[encoder.Dimension]));
                        s.Must(ErrorKind.Argument, () => encoder.EncodeUtf8(new byte[4],
                            new[] { 0, 3, 2 }, new float[2 * encoder.Dimension]));
                        break;
                    }
                    case 10:
                    {
                        var data = new Dataset();
                        data.Add("a");
                        s.Must(ErrorKind.Argument, () => data.Add("a", "b"));
                        data.Dispose();
                        s.Must<ObjectDisposedException>("Dataset", () => data.Add("a"));
                        break;
                    }
                    default:
                        s.Must<ArgumentOutOfRangeException>("1 or more",
                            () => Library.SetThreads(-random_.Next(9)));
                        break;
                }
            }

            private void ChangingArrays()
            {
                try
                {
                    storm_.May(() => Current().Encode(storm_.changingTexts_));
                    var destination = new float[20 * storm_.dimension_];
                    storm_.May(() => Current()
                        .EncodeUtf8(storm_.changingBytes_, storm_.changingOffsets_, destination));
                }
                catch (ArgumentException e)
                {
                    // No filter: .NET looks up words of this message under a lock, where an
                    // interruption may be met, and a filter that throws lets the exception pass.
                    if (!e.Message.Contains("is null") && !e.Message.Contains("Offsets reach"))
                        throw;
                    storm_.Count("changed under a call");
                }
                catch (ContrastiveException e) when (e.Kind == ErrorKind.Argument)
                {
                    storm_.Count("changed under a call");
                }
            }

            /// <summary>Starts short-lived threads. What the library keeps for a thread must be
            /// freed with it.</summary>
            private void ShortThread()
            {
                var thread = new Thread(() =>
                {
                    try
                    {
                        storm_.May(() => storm_.Check(Current().Encode(Texts[3]), 3));
                    }
                    catch (Exception e)
                    {
                        storm_.Surprise(e);
                    }
                }) { IsBackground = true };
                thread.Start();
                // Join despite interruptions: what the thread loads must not outlive the round.
                for (bool ended = false; !ended;)
                {
                    try
                    {
                        thread.Join();
                        ended = true;
                    }
                    catch (ThreadInterruptedException)
                    {
                        Interlocked.Increment(ref storm_.interrupted_);
                    }
                }
            }

            private void Save()
            {
                string folder = Path.Combine(storm_.scratch_, "worker-" + number_);
                storm_.May(() =>
                {
                    Current().Save(folder);
                    using SentenceEncoder again = SentenceEncoder.Load(folder);
                    storm_.Check(again.Encode(Texts[4]), 4);
                });
            }
        }
    }
}
