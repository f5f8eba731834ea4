// Sentence encoders for libraries that use Microsoft.Extensions.AI: Semantic Kernel, vector stores,
// caches and telemetry.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;

namespace Contrastive.Extensions.AI
{
    /// <summary>Wraps a <see cref="SentenceEncoder"/> as an
    /// <see cref="IEmbeddingGenerator{TInput, TEmbedding}"/>. It is thread-safe.</summary>
    /// <remarks>A request can set <c>Dimensions</c>, <c>ModelId</c>, and everything that
    /// <see cref="EncodeOptions"/> has (<see cref="EncodeOptionsExtensions"/>, or a
    /// <c>RawRepresentationFactory</c> that returns <see cref="EncodeOptions"/>). What it does not
    /// set is taken from the generator's options. <c>GetService</c> returns the
    /// <see cref="SwappableEncoder"/>, the current <see cref="SentenceEncoder"/> and the current
    /// model's <see cref="EmbeddingGeneratorMetadata"/>. Put a
    /// <see cref="ModelPinningEmbeddingGenerator"/> in front of a cache.</remarks>
    /// <example><code>
    /// SentenceEncoder encoder = SentenceEncoder.Load(folder);
    /// using var generator = new ContrastiveEmbeddingGenerator(encoder, "all-MiniLM-L6-v2");
    /// Embedding&lt;float&gt; embedding = await generator.GenerateAsync("a text");
    /// </code></example>
    public sealed class ContrastiveEmbeddingGenerator
        : IEmbeddingGenerator<string, Embedding<float>>
    {
        /// <summary>The name of the provider in the metadata.</summary>
        public const string ProviderName = "contrastive";

        private static readonly string[] Probe = { "probe" };

        private readonly SwappableEncoder models_;
        private readonly EncodeOptions encode_;
        private readonly SemaphoreSlim slots_;  // has no handle, so it needs no Dispose
        private int running_;
        private int waiting_;
        private int embedded_;  // 1: a call has succeeded since the last probe

        /// <summary>Wraps an encoder. The generator owns it and disposes of it.</summary>
        /// <param name="encoder">The encoder.</param>
        /// <param name="modelName">The model's name in metadata and results.</param>
        /// <param name="options">How to embed, and how many calls at once; the model of the options
        /// is not loaded.</param>
        public ContrastiveEmbeddingGenerator(SentenceEncoder encoder, string? modelName = null,
            ContrastiveEmbeddingGeneratorOptions? options = null)
            : this(new SwappableEncoder(encoder, modelName ?? options?.ModelName), options) { }

        /// <summary>Wraps an encoder that can be replaced. The generator owns it and disposes of
        /// it.</summary>
        /// <param name="models">The encoder.</param>
        /// <param name="options">How to embed, and how many calls at once; the model of the options
        /// is not loaded.</param>
        public ContrastiveEmbeddingGenerator(SwappableEncoder models,
            ContrastiveEmbeddingGeneratorOptions? options = null)
        {
            models_ = models ?? throw new ArgumentNullException(nameof(models));
            options ??= new ContrastiveEmbeddingGeneratorOptions();
            if (options.MaxConcurrentCalls < 1)
                throw new ArgumentOutOfRangeException(nameof(options),
                    options.MaxConcurrentCalls, "MaxConcurrentCalls must be at least 1.");
            encode_ = EncodeOptionsExtensions.Resolve(options.Encode, null, this);  // a copy
            slots_ = new SemaphoreSlim(options.MaxConcurrentCalls);
        }

        /// <summary>The number of calls that compute now.</summary>
        public int RunningCalls => Volatile.Read(ref running_);

        /// <summary>The number of calls that wait, because others compute.</summary>
        public int WaitingCalls => Volatile.Read(ref waiting_);

        /// <inheritdoc/>
        public async Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
            IEnumerable<string> values, EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            string[] texts = (values ?? throw new ArgumentNullException(nameof(values))).ToArray();
            EncodeOptions encode = Resolve(options);
            string? modelId = options?.ModelId;
            Interlocked.Increment(ref waiting_);
            try
            {
                await slots_.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                Interlocked.Decrement(ref waiting_);
            }
            Interlocked.Increment(ref running_);
            try
            {
                // The work is computation, so it runs in the thread pool and does not block the
                // caller.
                GeneratedEmbeddings<Embedding<float>> generated = await Task.Run(() =>
                    Generate(texts, modelId, encode, cancellationToken), cancellationToken)
                    .ConfigureAwait(false);
                Volatile.Write(ref embedded_, 1);
                return generated;
            }
            finally
            {
                Interlocked.Decrement(ref running_);
                slots_.Release();
            }
        }

        /// <summary>How a request's texts are embedded.</summary>
        internal EncodeOptions Resolve(EmbeddingGenerationOptions? options) =>
            EncodeOptionsExtensions.Resolve(encode_, options, this);

        private GeneratedEmbeddings<Embedding<float>> Generate(string[] texts, string? modelId,
            EncodeOptions encode, CancellationToken cancellationToken)
        {
            using EncoderLease lease = models_.Lease(modelId);
            Embeddings embeddings = lease.Encoder.Encode(texts, encode, cancellationToken);
            DateTimeOffset now = DateTimeOffset.UtcNow;
            string model = lease.ModelId;
            long tokens = 0;
            foreach (int count in embeddings.TokenCounts.Span) tokens += count;
            return new GeneratedEmbeddings<Embedding<float>>(embeddings.Select(vector =>
                new Embedding<float>(vector) { CreatedAt = now, ModelId = model }))
            {
                Usage = new UsageDetails { InputTokenCount = tokens, TotalTokenCount = tokens }
            };
        }

        /// <summary>Embeds a text with the default options, unless a call has succeeded since the
        /// last probe. It does not wait for its turn.</summary>
        internal Task ProbeAsync(CancellationToken cancellationToken) =>
            Interlocked.Exchange(ref embedded_, 0) == 1 ? Task.CompletedTask
            : Task.Run(() => Generate(Probe, null, encode_, cancellationToken),
                cancellationToken);

        /// <inheritdoc/>
        public object? GetService(Type serviceType, object? serviceKey = null)
        {
            if (serviceType == null) throw new ArgumentNullException(nameof(serviceType));
            if (serviceKey != null) return null;
            if (serviceType == typeof(EmbeddingGeneratorMetadata)) return Metadata();
            if (serviceType == typeof(SwappableEncoder)) return models_;
            if (serviceType == typeof(SentenceEncoder))
            {
                using EncoderLease lease = models_.Lease();
                return lease.Encoder;
            }
            return serviceType.IsInstanceOfType(this) ? this : null;
        }

        private EmbeddingGeneratorMetadata Metadata()
        {
            using EncoderLease lease = models_.Lease();
            return new EmbeddingGeneratorMetadata(ProviderName, null, lease.ModelId,
                lease.Encoder.DimensionOf(encode_));
        }

        /// <inheritdoc/>
        public void Dispose() => models_.Dispose();
    }
}
