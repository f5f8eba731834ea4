// Keeps caches correct when models are swapped.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;

namespace Contrastive.Extensions.AI
{
    /// <summary>Pins each request to the model that is current when the request arrives, for the
    /// generators behind it. It sets the request's <c>ModelId</c>, and an additional property that
    /// says how the texts are embedded. Caches use both in their keys, so a cache behind it, which
    /// may be shared and persistent, never returns the vectors of another model or prompt.
    /// </summary>
    /// <remarks>The model stays in memory until the request ends, so what a cache stores under the
    /// id of a model was computed by that model.</remarks>
    /// <example><code>
    /// IEmbeddingGenerator&lt;string, Embedding&lt;float&gt;&gt; cached = generator.AsBuilder()
    ///     .Use(inner =&gt; new ModelPinningEmbeddingGenerator(inner))
    ///     .UseDistributedCache(cache)
    ///     .Build();
    /// </code></example>
    public sealed class ModelPinningEmbeddingGenerator
        : DelegatingEmbeddingGenerator<string, Embedding<float>>
    {
        /// <summary>The additional property that says how the texts are embedded.</summary>
        public const string EncodeProperty = "contrastive.encode";

        private readonly ContrastiveEmbeddingGenerator generator_;
        private readonly SwappableEncoder models_;

        /// <summary>Pins the requests to a pipeline.</summary>
        /// <param name="inner">A pipeline that ends in a
        /// <see cref="ContrastiveEmbeddingGenerator"/>.</param>
        /// <exception cref="ArgumentException">It does not.</exception>
        public ModelPinningEmbeddingGenerator(IEmbeddingGenerator<string, Embedding<float>> inner)
            : base(inner)
        {
            generator_ = inner.GetService<ContrastiveEmbeddingGenerator>() ??
                throw new ArgumentException("The pipeline does not end in a " +
                    nameof(ContrastiveEmbeddingGenerator) + ".", nameof(inner));
            models_ = inner.GetRequiredService<SwappableEncoder>();
        }

        /// <inheritdoc/>
        public override async Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
            IEnumerable<string> values, EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            using EncoderLease lease = models_.Lease(options?.ModelId);
            EmbeddingGenerationOptions pinned =
                options?.Clone() ?? new EmbeddingGenerationOptions();
            pinned.ModelId = lease.ModelId;
            pinned.AdditionalProperties ??= new AdditionalPropertiesDictionary();
            pinned.AdditionalProperties[EncodeProperty] =
                EncodeOptionsExtensions.Key(generator_.Resolve(options));
            return await base.GenerateAsync(values, pinned, cancellationToken)
                .ConfigureAwait(false);
        }
    }
}
