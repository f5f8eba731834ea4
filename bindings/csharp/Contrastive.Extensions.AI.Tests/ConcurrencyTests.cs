// The limit on calls at once.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class ConcurrencyTests
    {
        private static readonly string[] Many =
            Enumerable.Range(0, 2000).Select(i => "the cat sat on mat " + i).ToArray();

        private static ContrastiveEmbeddingGenerator Generator(int limit) =>
            new ContrastiveEmbeddingGenerator(Support.Tiny(), null,
                new ContrastiveEmbeddingGeneratorOptions { MaxConcurrentCalls = limit });

        [Fact]
        public async Task NoMoreCallsRunThanAllowed()
        {
            using ContrastiveEmbeddingGenerator generator = Generator(2);
            Task[] calls = Enumerable.Range(0, 64)
                .Select(_ => (Task)generator.GenerateAsync(Many.Take(200))).ToArray();
            Task all = Task.WhenAll(calls);
            int most = 0, waiting = 0;
            while (!all.IsCompleted)
            {
                most = Math.Max(most, generator.RunningCalls);
                waiting = Math.Max(waiting, generator.WaitingCalls);
                await Task.Yield();
            }
            await all;
            Assert.Equal(2, most);
            Assert.True(waiting > 2, "only " + waiting + " calls waited");
            Assert.Equal(0, generator.RunningCalls + generator.WaitingCalls);
        }

        [Fact]
        public async Task WaitingCallsDoNotOccupyThreads()
        {
            using ContrastiveEmbeddingGenerator generator = Generator(1);
            ThreadPool.GetMinThreads(out int threads, out _);
            using var stop = new CancellationTokenSource();
            // With a thread for each of these calls, the next one would wait for a new thread of
            // the pool.
            Task[] calls = Enumerable.Range(0, threads + 64)
                .Select(_ => (Task)generator.GenerateAsync(Many, null, stop.Token)).ToArray();
            await Support.Until(() => generator.RunningCalls == 1 &&
                generator.WaitingCalls > threads, "the calls do not wait");
            await Task.Run(() => { });
            Assert.True(calls.Count(call => !call.IsCompleted) > threads,
                "another task waited until the calls were done");
            stop.Cancel();
            foreach (Task call in calls)
            {
                try
                {
                    await call;
                }
                catch (OperationCanceledException)
                {
                    // It waited or ran when the token was cancelled.
                }
            }
            Assert.Equal(0, generator.RunningCalls + generator.WaitingCalls);
            // Cancelled calls have returned their slots.
            Assert.Equal(2, (await generator.GenerateAsync(Support.Texts)).Count);
        }

        [Fact]
        public async Task AFailedCallReturnsItsSlot()
        {
            using ContrastiveEmbeddingGenerator generator = Generator(1);
            for (int i = 0; i < 3; ++i)
                await Assert.ThrowsAsync<ContrastiveException>(() => generator.GenerateAsync(
                    Support.Texts,
                    new EncodeOptions { PromptName = "no such prompt" }.ToGenerationOptions()));
            Assert.Equal(2, (await generator.GenerateAsync(Support.Texts)).Count);
        }

        [Fact]
        public void ALimitBelowOneIsRefused()
        {
            using var models = new SwappableEncoder(Support.Tiny());
            foreach (int limit in new[] { 0, -1 })
                Assert.Throws<ArgumentOutOfRangeException>(() => new ContrastiveEmbeddingGenerator(
                    models,
                    new ContrastiveEmbeddingGeneratorOptions { MaxConcurrentCalls = limit }));
        }
    }
}
