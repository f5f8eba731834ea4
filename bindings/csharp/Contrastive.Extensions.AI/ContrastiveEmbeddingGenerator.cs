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
    /// <see cref="IEmbeddingGenerator{TInput, TEmbedding}"/>.</summary>
    /// <example><code>
    /// SentenceEncoder encoder = SentenceEncoder.Load(folder);
    /// using var generator = new ContrastiveEmbeddingGenerator(encoder, "all-MiniLM-L6-v2");
    /// Embedding&lt;float&gt; embedding = await generator.GenerateAsync("a text");
    /// </code></example>
    public sealed class ContrastiveEmbeddingGenerator
        : IEmbeddingGenerator<string, Embedding<float>>
    {
        private readonly SentenceEncoder encoder_;
        private readonly EmbeddingGeneratorMetadata metadata_;

        /// <summary>Wraps an encoder. The generator owns it and disposes of it.</summary>
        /// <param name="encoder">The encoder.</param>
        /// <param name="modelId">The model's name in metadata and results.</param>
        public ContrastiveEmbeddingGenerator(SentenceEncoder encoder, string? modelId = null)
        {
            encoder_ = encoder ?? throw new ArgumentNullException(nameof(encoder));
            metadata_ = new EmbeddingGeneratorMetadata("contrastive", null, modelId,
                encoder.Dimension);
        }

        /// <inheritdoc/>
        public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(IEnumerable<string> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            string[] texts = (values ?? throw new ArgumentNullException(nameof(values))).ToArray();
            // The work is computation, so it runs in the thread pool and does not block the caller.
            return Task.Run(() => Generate(texts, options, cancellationToken), cancellationToken);
        }

        private GeneratedEmbeddings<Embedding<float>> Generate(string[] texts,
            EmbeddingGenerationOptions? options, CancellationToken cancellationToken)
        {
            if (options?.ModelId != null && options.ModelId != metadata_.DefaultModelId)
                throw new ArgumentException("This generator has the model '" +
                    metadata_.DefaultModelId + "', not '" + options.ModelId + "'.",
                    nameof(options));
            Embeddings embeddings = encoder_.Encode(texts,
                new EncodeOptions { TruncateDimension = options?.Dimensions ?? 0 },
                cancellationToken);
            DateTimeOffset now = DateTimeOffset.UtcNow;
            long tokens = embeddings.TokenCounts.ToArray().Sum(count => (long)count);
            string? model = metadata_.DefaultModelId;
            var items = embeddings.Select(vector =>
                new Embedding<float>(vector) { CreatedAt = now, ModelId = model });
            return new GeneratedEmbeddings<Embedding<float>>(items)
            {
                Usage = new UsageDetails { InputTokenCount = tokens, TotalTokenCount = tokens }
            };
        }

        /// <inheritdoc/>
        public object? GetService(Type serviceType, object? serviceKey = null)
        {
            if (serviceType == null) throw new ArgumentNullException(nameof(serviceType));
            if (serviceKey != null) return null;
            if (serviceType == typeof(EmbeddingGeneratorMetadata)) return metadata_;
            if (serviceType == typeof(SentenceEncoder)) return encoder_;
            return serviceType.IsInstanceOfType(this) ? this : null;
        }

        /// <inheritdoc/>
        public void Dispose() => encoder_.Dispose();
    }
}
