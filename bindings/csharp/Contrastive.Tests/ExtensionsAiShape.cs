// The part of Microsoft.Extensions.AI.Abstractions that the adapter uses, declared as there, so
// that it is compiled and run where the package is not in reach. With the package this file is left
// out.
using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Microsoft.Extensions.AI
{
    public interface IEmbeddingGenerator : IDisposable
    {
        object? GetService(Type serviceType, object? serviceKey = null);
    }

    public interface IEmbeddingGenerator<in TInput, TEmbedding> : IEmbeddingGenerator
        where TEmbedding : Embedding
    {
        Task<GeneratedEmbeddings<TEmbedding>> GenerateAsync(IEnumerable<TInput> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default);
    }

    public class Embedding
    {
        protected Embedding() { }
        public DateTimeOffset? CreatedAt { get; set; }
        public string? ModelId { get; set; }
    }

    public sealed class Embedding<T> : Embedding
    {
        public Embedding(ReadOnlyMemory<T> vector) => Vector = vector;
        public ReadOnlyMemory<T> Vector { get; set; }
    }

    public sealed class GeneratedEmbeddings<TEmbedding> : Collection<TEmbedding>
        where TEmbedding : Embedding
    {
        public GeneratedEmbeddings(IEnumerable<TEmbedding> embeddings)
            : base(embeddings.ToList()) { }
        public UsageDetails? Usage { get; set; }
    }

    public class EmbeddingGenerationOptions
    {
        public int? Dimensions { get; set; }
        public string? ModelId { get; set; }
    }

    public class EmbeddingGeneratorMetadata
    {
        public EmbeddingGeneratorMetadata(string? providerName = null, Uri? providerUri = null,
            string? defaultModelId = null, int? defaultModelDimensions = null)
        {
            ProviderName = providerName;
            ProviderUri = providerUri;
            DefaultModelId = defaultModelId;
            DefaultModelDimensions = defaultModelDimensions;
        }

        public string? ProviderName { get; }
        public Uri? ProviderUri { get; }
        public string? DefaultModelId { get; }
        public int? DefaultModelDimensions { get; }
    }

    public class UsageDetails
    {
        public long? InputTokenCount { get; set; }
        public long? TotalTokenCount { get; set; }
    }
}
