// Messages of the library.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LogTests : IDisposable
    {
        private readonly TemporaryFolder folder_ = new TemporaryFolder();

        public void Dispose()
        {
            Library.SetLogSink(null);
            folder_.Dispose();
        }

        /// <summary>Provokes a warning of the library: few texts give a small vocabulary.</summary>
        private void Provoke()
        {
            File.WriteAllLines(folder_["tèxts 🙂.txt"],
                Enumerable.Repeat("the cat sat\n" + new string('x', 100), 10));
            Vocabulary.Train(folder_["tèxts 🙂.txt"], folder_["vocabulary"]);
        }

        [Fact]
        public void MessagesReachTheSink()
        {
            var messages = new List<string>();
            Library.SetLogSink((level, message) => messages.Add(level + " " + message),
                LogSeverity.Warning);
            GC.Collect();  // only the library's own handle keeps the delegate
            Provoke();
            Assert.True(messages.Count > 0, "no message");
            Assert.True(messages.All(message => message.StartsWith("Warning ",
                StringComparison.Ordinal)), string.Join("\n", messages));
            int before = messages.Count;
            Library.SetLogSink(null);
            Provoke();
            Assert.Equal(before, messages.Count);
        }

        private static int counted_;

        private static void Count<T>(T level, string message) =>
            Interlocked.Increment(ref counted_);

        /// <summary>Loads the package a second time, in a separate context, sets a sink there and
        /// unloads the context.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void SetInAContextThatUnloads()
        {
            var context = new AssemblyLoadContext("unloads", isCollectible: true);
            Assembly package = context.LoadFromAssemblyPath(typeof(Library).Assembly.Location);
            Type level = package.GetType("Contrastive.LogSeverity", throwOnError: true)!;
            MethodInfo count = typeof(LogTests).GetMethod(nameof(Count),
                BindingFlags.NonPublic | BindingFlags.Static)!.MakeGenericMethod(level);
            Delegate sink = Delegate.CreateDelegate(
                typeof(Action<,>).MakeGenericType(level, typeof(string)), count);
            package.GetType("Contrastive.Library")!.GetMethod(nameof(Library.SetLogSink))!.Invoke(
                null, new[] { sink, Enum.ToObject(level, 2) });
            context.Unload();
        }

        [Fact]
        public void ASinkKeepsItsContextLoaded()
        {
            Support.Elsewhere(SetInAContextThatUnloads);
            for (int i = 0; i < 20; ++i)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Provoke();
            Assert.True(counted_ > 0, "the sink was not called");
        }

        [Fact]
        public void ASinkThatThrowsHarmsNothing()
        {
            int calls = 0;
            Library.SetLogSink((level, message) =>
            {
                ++calls;
                throw new InvalidOperationException("from the sink");
            });
            Provoke();
            Assert.True(calls > 0, "the sink was not called");
        }

        [Fact]
        public void ASinkThatCallsTheLibraryIsToldSo()
        {
            ErrorKind? answer = null;
            Library.SetLogSink((level, message) =>
                answer = Assert.Throws<ContrastiveException>(() => Library.SetLogSink(null)).Kind);
            Provoke();
            Assert.Equal<ErrorKind?>(ErrorKind.Busy, answer);
        }

        /// <summary>The sink clears and replaces itself while other threads replace it.</summary>
        [TrainingFact]
        public void ReplacingASinkThatClearsItselfHangsNobody()
        {
            bool stop = false;
            int messages = 0, busy = 0, replaced = 0;
            var surprises = new ConcurrentQueue<string>();
            Action<LogSeverity, string> sink = (level, message) =>
            {
                Interlocked.Increment(ref messages);
                foreach (Action<LogSeverity, string>? next in
                    new Action<LogSeverity, string>?[] { null, (l, m) => { } })
                {
                    try
                    {
                        Library.SetLogSink(next);
                        surprises.Enqueue("a sink was allowed to replace itself");
                    }
                    catch (ContrastiveException e) when (e.Kind == ErrorKind.Busy)
                    {
                        Interlocked.Increment(ref busy);
                    }
                    catch (Exception e)
                    {
                        surprises.Enqueue(e.ToString());
                    }
                }
            };
            Thread Start(Action work)
            {
                var thread = new Thread(() =>
                {
                    try
                    {
                        while (!Volatile.Read(ref stop)) work();
                    }
                    catch (Exception e)
                    {
                        surprises.Enqueue(e.ToString());
                    }
                }) { IsBackground = true };  // a thread that hangs does not keep the process
                thread.Start();
                return thread;
            }
            void Replace()
            {
                Library.SetLogSink(Interlocked.Increment(ref replaced) % 5 == 0 ? null : sink,
                    LogSeverity.Debug);
                Thread.Sleep(1);
            }
            using SentenceEncoder encoder = Support.Tiny();
            void Talk()  // logs that there is no dev file; one thread at a time may use a dataset
            {
                using Dataset data = Support.PairData();
                new Trainer(encoder, data, Support.Training).Dispose();
            }
            Thread[] threads = { Start(Replace), Start(Replace), Start(Talk), Start(Talk) };
            for (int i = 0; i < 30 || ((Volatile.Read(ref messages) <= 10 ||
                Volatile.Read(ref replaced) <= 100) && i < 600); ++i)
                Thread.Sleep(100);  // a busy machine needs longer
            Volatile.Write(ref stop, true);
            foreach (Thread thread in threads) Assert.True(thread.Join(10000), "a thread hangs");
            Library.SetLogSink(null);
            Assert.True(surprises.IsEmpty, string.Join("\n", surprises));
            Assert.True(messages > 10 && replaced > 100,
                messages + " messages, replaced " + replaced + " times");
            Assert.Equal(2 * messages, busy);
        }
    }
}
