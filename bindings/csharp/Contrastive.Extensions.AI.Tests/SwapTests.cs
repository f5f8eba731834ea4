// Models that are swapped while they are used.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class SwapTests : IDisposable
    {
        private readonly ChangedModel other_ = ChangedModel.WithOtherWeights();

        public void Dispose() => other_.Dispose();

        private SentenceEncoder Other() => SentenceEncoder.Load(other_.Path);

        [Fact]
        public void ASwapChangesTheModelAndItsId()
        {
            using var models = new SwappableEncoder(Support.Tiny(), "search");
            using var generator = new ContrastiveEmbeddingGenerator(models);
            var swaps = new List<string>();
            models.Swapped += (sender, swap) =>
                swaps.Add(swap.PreviousModelId + " " + swap.ModelId + " " + (sender == models));
            string first = models.ModelId;
            string second = models.Swap(Other());
            Assert.NotEqual(first, second);
            Assert.StartsWith("search@", second);
            Assert.Equal(second, models.ModelId);
            Assert.Equal(second, generator.GetRequiredService<EmbeddingGeneratorMetadata>()
                .DefaultModelId);
            Assert.Equal(first, models.Swap(Support.Tiny()));  // equal weights, equal id
            Assert.StartsWith("new@", models.Swap(Support.Tiny(), "new"));
            Assert.Equal(first + " " + second + " True", swaps[0]);
            Assert.Equal(3, swaps.Count);
            Assert.Equal(1, models.LivingEncoders);
        }

        [Fact]
        public async Task ALeaseKeepsItsEncoder()
        {
            SentenceEncoder first = Support.Tiny();
            using var models = new SwappableEncoder(first);
            using var generator = new ContrastiveEmbeddingGenerator(models);
            float[] before = first.Encode("a text");
            EncoderLease lease = models.Lease(), again = models.Lease();
            string firstId = lease.ModelId;
            models.Swap(Other());
            Assert.Equal(2, models.LivingEncoders);
            Assert.Same(first, lease.Encoder);
            // A request with the id of the lease gets the leased encoder.
            var pinned = new EmbeddingGenerationOptions { ModelId = firstId };
            Assert.Equal(before, (await generator.GenerateVectorAsync("a text", pinned)).ToArray());
            Assert.NotEqual(before, (await generator.GenerateVectorAsync("a text")).ToArray());
            again.Dispose();
            again.Dispose();  // does nothing
            Assert.Equal(before, lease.Encoder.Encode("a text"));
            lease.Dispose();
            Assert.Equal(1, models.LivingEncoders);
            Assert.Throws<ObjectDisposedException>(() => first.Encode("a text"));
            Assert.Throws<ObjectDisposedException>(() => lease.Encoder);
            Assert.Throws<ArgumentException>(() => models.Lease(firstId));
        }

        [Fact]
        public async Task APreparationRunsBeforeTheSwap()
        {
            using var models = new SwappableEncoder(Support.Tiny());
            string before = models.ModelId, prepared = "";
            SentenceEncoder next = Other();
            await models.SwapAsync(next, async lease =>
            {
                await Task.Yield();
                Assert.Same(next, lease.Encoder);
                Assert.Equal(before, models.ModelId);
                using (EncoderLease same = models.Lease(lease.ModelId))
                    Assert.Same(next, same.Encoder);
                prepared = lease.ModelId;
            });
            Assert.Equal(prepared, models.ModelId);
            SentenceEncoder unwanted = Support.Tiny();
            await Assert.ThrowsAsync<InvalidOperationException>(() => models.SwapAsync(unwanted,
                _ => throw new InvalidOperationException("no index")));
            Assert.Equal(prepared, models.ModelId);
            Assert.Equal(1, models.LivingEncoders);
            Assert.Throws<ObjectDisposedException>(() => unwanted.Encode("a text"));
        }

        [Fact]
        public async Task ADisposedHolderLendsNothing()
        {
            SentenceEncoder encoder = Support.Tiny(), late = Other();
            var models = new SwappableEncoder(encoder);
            EncoderLease lease = models.Lease();
            models.Dispose();
            models.Dispose();
            Assert.Throws<ObjectDisposedException>(() => models.Lease());
            Assert.Throws<ObjectDisposedException>(() => models.Swap(late));
            Assert.Throws<ObjectDisposedException>(() => late.Encode("a text"));
            await Assert.ThrowsAsync<ObjectDisposedException>(() =>
                models.SwapAsync(Other(), _ => Task.CompletedTask));
            lease.Encoder.Encode("a text");  // the lease still holds it
            lease.Dispose();
            Assert.Throws<ObjectDisposedException>(() => encoder.Encode("a text"));
        }

        [Fact]
        public async Task ADisposalDuringTheSwapFreesBoth()
        {
            SentenceEncoder encoder = Support.Tiny(), next = Other();
            var models = new SwappableEncoder(encoder);
            await Assert.ThrowsAsync<ObjectDisposedException>(() => models.SwapAsync(next, _ =>
            {
                models.Dispose();
                return Task.CompletedTask;
            }));
            Assert.Equal(0, models.LivingEncoders);
            Assert.Throws<ObjectDisposedException>(() => encoder.Encode("a text"));
            Assert.Throws<ObjectDisposedException>(() => next.Encode("a text"));
        }

        [Fact]
        public async Task SwapsUnderLoadLoseNoRequest()
        {
            long handles = Library.LiveHandles;
            var expected = new ConcurrentDictionary<string, float[]>();
            using (var models = new SwappableEncoder(Support.Tiny()))
            {
                using var generator = new ContrastiveEmbeddingGenerator(models,
                    new ContrastiveEmbeddingGeneratorOptions { MaxConcurrentCalls = 4 });
                Task Remember(EncoderLease lease)
                {
                    expected[lease.ModelId] = lease.Encoder.Encode("a text");
                    return Task.CompletedTask;
                }
                using (EncoderLease lease = models.Lease()) await Remember(lease);
                using var stop = new CancellationTokenSource();
                int answered = 0;
                async Task Client()
                {
                    while (!stop.IsCancellationRequested)
                    {
                        Embedding<float> embedding = await generator.GenerateAsync("a text");
                        Assert.Equal(expected[embedding.ModelId!], embedding.Vector.ToArray());
                        using (EncoderLease lease = models.Lease())
                            Assert.Equal(expected[lease.ModelId], lease.Encoder.Encode("a text"));
                        Interlocked.Increment(ref answered);
                    }
                }
                Task[] clients = Enumerable.Range(0, 8).Select(_ => Task.Run(Client)).ToArray();
                for (int i = 0; i < 40; ++i)
                {
                    int before = Volatile.Read(ref answered);
                    await models.SwapAsync(i % 2 == 0 ? Other() : Support.Tiny(), Remember);
                    await Support.Until(() => Volatile.Read(ref answered) >= before + 8 ||
                        clients.Any(client => client.IsFaulted), "the clients stand still");
                }
                stop.Cancel();
                await Task.WhenAll(clients);
                Assert.True(answered >= 320, answered + " answers");
                Assert.Equal(2, expected.Count);
                Assert.Equal(1, models.LivingEncoders);
            }
            Assert.Equal(handles, Library.LiveHandles);
        }
    }
}
