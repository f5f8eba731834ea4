// Disposing twice, too early, in the middle of a call, and never.
using System;
using System.Linq;
using System.Threading;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LifetimeTests
    {
        [TrainingFact]
        public void DisposingTwiceIsDisposing()
        {
            long before = Library.LiveHandles;
            SentenceEncoder encoder = Support.Tiny();
            Dataset data = Support.PairData();
            var trainer = new Trainer(encoder, data, Support.Training);
            Assert.Equal(before + 3, Library.LiveHandles);
            foreach (IDisposable one in new IDisposable[] { encoder, data, trainer, trainer, data,
                encoder })
                one.Dispose();
            Assert.Equal(before, Library.LiveHandles);
        }

        [TrainingFact]
        public void NothingWorksAfterDispose()
        {
            SentenceEncoder encoder = Support.Tiny();
            Dataset data = Support.PairData();
            var trainer = new Trainer(encoder, data, Support.Training);
            foreach (IDisposable one in new IDisposable[] { encoder, data, trainer }) one.Dispose();
            Assert.Throws<ObjectDisposedException>(() => encoder.Encode("A dog"));
            Assert.Throws<ObjectDisposedException>(() => encoder.Encode(new[] { "A dog" }));
            Assert.Throws<ObjectDisposedException>(() => encoder.Tokenize("A dog"));
            Assert.Throws<ObjectDisposedException>(() => encoder.Save("never"));
            Assert.Throws<ObjectDisposedException>(() => encoder.Snapshot());
            Assert.Throws<ObjectDisposedException>(() =>
                new Trainer(encoder, null, Support.Training));
            Assert.Throws<ObjectDisposedException>(() => data.Add("a", "b"));
            Assert.Throws<ObjectDisposedException>(() => data.Count);
            Assert.Throws<ObjectDisposedException>(() => trainer.Step());
            Assert.Throws<ObjectDisposedException>(() => trainer.Metric("loss"));
            Assert.Throws<ObjectDisposedException>(() => trainer.Model());
        }

        [TrainingFact]
        public void ATrainerOutlivesItsModelAndData()
        {
            Trainer trainer;
            using (SentenceEncoder encoder = Support.Tiny())
            using (Dataset data = Support.PairData())
                trainer = new Trainer(encoder, data, Support.Training);
            using (trainer)
            {
                trainer.Run();
                using SentenceEncoder trained = trainer.Model();
                trainer.Dispose();
                Assert.Equal(trained.Dimension, trained.Encode("A dog").Length);
            }
        }

        [Fact]
        public void DisposingDuringCallsLetsThemFinish()
        {
            long before = Library.LiveHandles;
            float[] expected;
            using (SentenceEncoder encoder = Support.Tiny())
                expected = encoder.Encode("the cat sat on the mat.");
            for (int round = 0; round < 100; ++round) DisposeDuringCalls(round, expected);
            Support.ExpectLive(before);
        }

        private static void DisposeDuringCalls(int round, float[] expected)
        {
            SentenceEncoder encoder = Support.Tiny();
            int finished = 0;
            Exception? surprise = null;
            using var started = new CountdownEvent(3);
            var threads = Enumerable.Range(0, 3).Select(i => new Thread(() =>
            {
                started.Signal();
                try
                {
                    while (true)
                    {
                        if (!encoder.Encode("the cat sat on the mat.").SequenceEqual(expected))
                            throw new InvalidOperationException("other floats");
                        Interlocked.Increment(ref finished);
                    }
                }
                catch (ObjectDisposedException) { }
                catch (Exception e)
                {
                    surprise = e;
                }
            })).ToArray();
            foreach (Thread thread in threads) thread.Start();
            started.Wait();
            while (round % 2 == 0 && Volatile.Read(ref finished) == 0) Thread.Yield();
            encoder.Dispose();
            foreach (Thread thread in threads) thread.Join();
            Assert.True(surprise == null, "round " + round + ": " + surprise);
        }

        [TrainingFact]
        public void ForgottenObjectsAreCollected()
        {
            long before = Library.LiveHandles;
            Support.Elsewhere(() =>
            {
                using SentenceEncoder encoder = Support.Tiny();
                for (int i = 0; i < 100; ++i)
                {
                    SentenceEncoder forgotten = encoder.Snapshot();
                    new Trainer(forgotten, Support.PairData(), Support.Training).Step();
                    GC.KeepAlive(new byte[100000]);
                }
            });
            Support.ExpectLive(before);
        }

        /// <summary>The collector is told how much native memory a model keeps, so it does not let
        /// forgotten models fill the machine.</summary>
        [Fact]
        public void ForgottenModelsAreCollectedInTime()
        {
            using var folder = new TemporaryFolder();
            const int Models = 60;
            Support.LargeModel(folder["model"]);
            long before = Library.LiveHandles, most = 0, size = 0;
            Support.Elsewhere(() =>
            {
                for (int i = 0; i < Models; ++i)
                {
                    SentenceEncoder forgotten = SentenceEncoder.Load(folder["model"]);
                    Assert.Equal(forgotten.Dimension, forgotten.Encode("the cat").Length);
                    size = Interop.Native.cs_model_memory(forgotten.Handle);
                    most = Math.Max(most, Library.LiveHandles - before);
                }
            });
            Assert.True(size > 16 << 20, "a model has " + size + " bytes");
            // Without that, all of them would be. The finalizer's thread may lag behind.
            Assert.True(most <= Models * 2 / 3, most + " of " + Models +
                " forgotten models were there at once");
            Support.ExpectLive(before);
        }

        [Fact]
        public void CollectionDuringCallsHarmsNone()
        {
            long before = Library.LiveHandles;
            bool stop = false;
            var collector = new Thread(() =>
            {
                while (!Volatile.Read(ref stop))
                {
                    GC.Collect();
                    Thread.Sleep(1);
                }
            });
            collector.Start();
            try
            {
                // Each encoder is garbage during its call.
                Support.Elsewhere(() =>
                {
                    for (int i = 0; i < 50; ++i)
                        Assert.Equal(32, Support.Tiny().Encode("the cat sat on the mat.").Length);
                });
            }
            finally
            {
                Volatile.Write(ref stop, true);
                collector.Join();
            }
            Support.ExpectLive(before);
        }

        /// <summary>Makes the same mix of calls as in the other languages. Most embed in place.
        /// Every tenth also allocates a result, makes a refused call, and tokenizes.</summary>
        [Fact]
        public void MemoryStaysFlatOverManyCalls()
        {
            using SentenceEncoder encoder = Support.Tiny();
            using var source = new CancellationTokenSource();
            string[] texts = { "the cat sat", "🙂" };
            var destination = new float[2 * encoder.Dimension];
            // With texts of two tokens, two threads would only wait for each other.
            Library.SetThreads(1);
            GC.Collect();  // what earlier tests have forgotten
            GC.WaitForPendingFinalizers();
            long handles = Library.LiveHandles, growth = long.MaxValue;
            void Cycle(int calls)
            {
                for (int i = 0; i < calls; ++i)
                {
                    encoder.Encode(texts.AsSpan(), destination);
                    if (i % 10 != 0) continue;
                    encoder.Encode(texts, null, source.Token);
                    Assert.Throws<ContrastiveException>(() =>
                        encoder.Encode("a", new EncodeOptions { Pooling = "meen" }));
                    encoder.Tokenize("the cat sat");
                }
            }
            Cycle(20000);
            // The runtime's own heap may still grow in a round; what leaks grows in every one.
            for (int round = 0; round < 4 && growth > 4096; ++round)
            {
                long before = Resident();
                Cycle(100000);
                growth = (Resident() - before) / 1024;
                Console.WriteLine("     resident memory after 100,000 calls: " +
                    growth.ToString("+0;-0;+0") + " KB");
            }
            Library.SetThreads(null);
            Assert.Equal(handles, Library.LiveHandles);
            Assert.True(growth <= 4096, "resident memory grew by " + growth + " KB in every round");
        }

        private static long Resident()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            return Support.ResidentBytes();
        }
    }
}
