// Whole pipelines of Microsoft.Extensions.AI: caches, telemetry and logging.
using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    using Generator = IEmbeddingGenerator<string, Embedding<float>>;

    public sealed class PipelineTests : IDisposable
    {
        private readonly ChangedModel other_ = ChangedModel.WithOtherWeights();
        private readonly ChangedModel prompted_ = ChangedModel.WithPrompts();

        public void Dispose()
        {
            other_.Dispose();
            prompted_.Dispose();
        }

        /// <summary>Counts the vectors that are computed rather than found in the cache.</summary>
        private sealed class Counter(Generator inner) : DelegatingEmbeddingGenerator<string,
            Embedding<float>>(inner)
        {
            private int computed_;

            internal int Computed => Volatile.Read(ref computed_);

            public override Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
                System.Collections.Generic.IEnumerable<string> values,
                EmbeddingGenerationOptions? options, CancellationToken cancellationToken)
            {
                Interlocked.Add(ref computed_, values.Count());
                return base.GenerateAsync(values, options, cancellationToken);
            }
        }

        private static IDistributedCache Cache() => new MemoryDistributedCache(
            Microsoft.Extensions.Options.Options.Create(new MemoryDistributedCacheOptions()));

        private static ServiceProvider Services(IDistributedCache cache, string model,
            string? prompt = null, Action<IServiceCollection>? more = null)
        {
            var services = new ServiceCollection();
            services.AddSingleton(cache);
            services.AddLogging();
            services.AddContrastiveEmbeddingGenerator(options =>
            {
                options.ModelPath = model;
                options.ModelName = "search";
                options.Encode.PromptName = prompt;
            }, (inner, provider) => inner.AsBuilder().UseDistributedCache()
                .UseOpenTelemetry().UseLogging().Use(last => new Counter(last)).Build(provider));
            more?.Invoke(services);
            return services.BuildServiceProvider(true);
        }

        private static async Task<float[]> Vector(ServiceProvider provider, string text,
            EncodeOptions? options = null) =>
            (await provider.GetRequiredService<Generator>().GenerateVectorAsync(text,
                options?.ToGenerationOptions())).ToArray();

        private static int Computed(ServiceProvider provider) =>
            provider.GetRequiredService<Generator>().GetRequiredService<Counter>().Computed;

        [Fact]
        public async Task ACacheIsUsed()
        {
            await using ServiceProvider provider = Services(Cache(), Support.Model);
            float[] first = await Vector(provider, "a text");
            Assert.Equal(first, await Vector(provider, "a text"));
            Assert.Equal(1, Computed(provider));
            using SentenceEncoder encoder = Support.Tiny();
            Assert.Equal(encoder.Encode("a text"), first);
        }

        [Fact]
        public async Task ACacheKeepsSwappedModelsApart()
        {
            using SentenceEncoder first = Support.Tiny(),
                second = SentenceEncoder.Load(other_.Path);
            await using ServiceProvider provider = Services(Cache(), Support.Model);
            var models = provider.GetRequiredService<SwappableEncoder>();
            Assert.Equal(first.Encode("a text"), await Vector(provider, "a text"));
            models.Swap(SentenceEncoder.Load(other_.Path));
            Assert.Equal(second.Encode("a text"), await Vector(provider, "a text"));
            models.Swap(Support.Tiny());
            Assert.Equal(first.Encode("a text"), await Vector(provider, "a text"));
            Assert.Equal(2, Computed(provider));  // the first model's vector was still there
        }

        [Fact]
        public async Task ASharedCacheKeepsServicesApart()
        {
            IDistributedCache cache = Cache();
            await using ServiceProvider one = Services(cache, Support.Model),
                same = Services(cache, Support.Model), other = Services(cache, other_.Path);
            float[] vector = await Vector(one, "a text");
            Assert.Equal(vector, await Vector(same, "a text"));
            Assert.Equal(0, Computed(same));
            Assert.NotEqual(vector, await Vector(other, "a text"));
        }

        [Fact]
        public async Task ACacheKeepsPromptsApart()
        {
            IDistributedCache cache = Cache();
            using SentenceEncoder encoder = SentenceEncoder.Load(prompted_.Path);
            var query = new EncodeOptions { PromptName = "query" };
            var document = new EncodeOptions { PromptName = "document" };
            await using ServiceProvider queries = Services(cache, prompted_.Path, "query"),
                documents = Services(cache, prompted_.Path, "document");
            Assert.Equal(encoder.Encode("a text", query), await Vector(queries, "a text"));
            Assert.Equal(encoder.Encode("a text", document), await Vector(documents, "a text"));
            // The same prompt from a request: found in the cache.
            Assert.Equal(encoder.Encode("a text", query), await Vector(documents, "a text", query));
            var raw = new EmbeddingGenerationOptions
            {
                RawRepresentationFactory = _ => new EncodeOptions { Prompt = "my own: " }
            };
            Assert.Equal(encoder.Encode("a text", new EncodeOptions { Prompt = "my own: " }),
                (await documents.GetRequiredService<Generator>().GenerateVectorAsync("a text", raw))
                    .ToArray());
        }

        [Fact]
        public async Task SwapsUnderLoadDoNotMixTheCache()
        {
            using SentenceEncoder first = Support.Tiny(),
                second = SentenceEncoder.Load(other_.Path);
            await using ServiceProvider provider = Services(Cache(), Support.Model);
            var models = provider.GetRequiredService<SwappableEncoder>();
            var generator = provider.GetRequiredService<Generator>();
            string firstId = models.ModelId;
            using var stop = new CancellationTokenSource();
            int answered = 0;
            async Task Client(int seed)
            {
                var random = new Random(seed);
                while (!stop.IsCancellationRequested)
                {
                    string text = "a text " + random.Next(200);
                    Embedding<float> embedding = await generator.GenerateAsync(text);
                    SentenceEncoder by = embedding.ModelId == firstId ? first : second;
                    Assert.Equal(by.Encode(text), embedding.Vector.ToArray());
                    Interlocked.Increment(ref answered);
                }
            }
            Task[] clients = Enumerable.Range(0, 8)
                .Select(i => Task.Run(() => Client(i))).ToArray();
            for (int i = 0; i < 20; ++i)
            {
                int before = Volatile.Read(ref answered);
                models.Swap(i % 2 == 0 ? SentenceEncoder.Load(other_.Path) : Support.Tiny());
                await Support.Until(() => Volatile.Read(ref answered) >= before + 20 ||
                    clients.Any(client => client.IsFaulted), "the clients stand still");
            }
            stop.Cancel();
            await Task.WhenAll(clients);
            // What the cache has now is right too.
            for (int i = 0; i < 200; ++i)
                Assert.Equal(first.Encode("a text " + i), await Vector(provider, "a text " + i));
        }

        [Fact]
        public async Task TelemetryNamesTheModel()
        {
            var activities = new ConcurrentQueue<Activity>();
            using var listener = new ActivityListener
            {
                ShouldListenTo = source => source.Name.Contains("Microsoft.Extensions.AI"),
                Sample = (ref ActivityCreationOptions<ActivityContext> _) =>
                    ActivitySamplingResult.AllData,
                ActivityStopped = activities.Enqueue
            };
            ActivitySource.AddActivityListener(listener);
            await using ServiceProvider provider = Services(Cache(), Support.Model);
            var models = provider.GetRequiredService<SwappableEncoder>();
            string first = models.ModelId;
            await Vector(provider, "a text");
            models.Swap(SentenceEncoder.Load(other_.Path));
            await Vector(provider, "a text");
            Assert.Equal(new[] { first, models.ModelId }, activities.Select(activity =>
                (string?)activity.GetTagItem("gen_ai.request.model")));
            Assert.All(activities, activity =>
            {
                Assert.Equal("contrastive", activity.GetTagItem("gen_ai.provider.name"));
                Assert.Equal("embeddings", activity.GetTagItem("gen_ai.operation.name"));
                Assert.True((int)activity.GetTagItem("gen_ai.usage.input_tokens")! > 0);
            });
        }

        [Fact]
        public async Task ThePipelineLogs()
        {
            var messages = new Messages();
            await using ServiceProvider provider = Services(Cache(), Support.Model, null,
                services => services.AddLogging(logging => logging
                    .SetMinimumLevel(LogLevel.Debug)
                    .AddProvider(messages)));
            await Vector(provider, "a text");
            Assert.Equal(2,
                messages.Of("Microsoft.Extensions.AI.LoggingEmbeddingGenerator").Count());
        }

        [Fact]
        public async Task APipelineWithoutServicesCanBePinned()
        {
            using SentenceEncoder second = SentenceEncoder.Load(other_.Path);
            using Generator generator = new ContrastiveEmbeddingGenerator(Support.Tiny())
                .AsBuilder().Use(inner => new ModelPinningEmbeddingGenerator(inner))
                .UseDistributedCache(Cache()).Build();
            float[] first = (await generator.GenerateVectorAsync("a text")).ToArray();
            generator.GetRequiredService<SwappableEncoder>()
                .Swap(SentenceEncoder.Load(other_.Path));
            float[] vector = (await generator.GenerateVectorAsync("a text")).ToArray();
            Assert.Equal(second.Encode("a text"), vector);
            Assert.NotEqual(first, vector);
        }
    }
}
