// The documents that the service searches, embedded by the current model.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Configuration;

namespace Contrastive.Examples
{
    internal sealed class DocumentIndex(SwappableEncoder models,
        IEmbeddingGenerator<string, Embedding<float>> generator, IConfiguration configuration)
    {
        private sealed record Documents(string[] Texts, Embeddings Vectors);

        // The vectors of each model in memory. A request uses those of the model that it leased.
        private readonly ConditionalWeakTable<SentenceEncoder, Documents> byModel_ = new();
        private readonly SemaphoreSlim changing_ = new(1);
        private readonly EncodeOptions query_ = new()
        {
            Prompt = configuration["Search:QueryPrompt"] ?? ""
        };
        private string[] texts_ = [];

        /// <summary>Replaces the documents. Returns the id of the model that embedded
        /// them.</summary>
        public async Task<string> ReplaceAsync(string[] texts, CancellationToken stop)
        {
            await changing_.WaitAsync(stop);
            try
            {
                using EncoderLease lease = models.Lease();
                await EmbedAsync(lease, texts, stop);
                texts_ = texts;
                return lease.ModelId;
            }
            finally
            {
                changing_.Release();
            }
        }

        /// <summary>Embeds the documents with a retrained model, and then makes it the current
        /// one.</summary>
        public async Task SwapAsync(SentenceEncoder next, CancellationToken stop)
        {
            await changing_.WaitAsync(CancellationToken.None);  // the swap owns the encoder
            try
            {
                await models.SwapAsync(next, lease => EmbedAsync(lease, texts_, stop));
            }
            finally
            {
                changing_.Release();
            }
        }

        private async Task EmbedAsync(EncoderLease lease, string[] texts, CancellationToken stop)
        {
            var options = new EmbeddingGenerationOptions { ModelId = lease.ModelId };
            float[] vectors = (await generator.GenerateAsync(texts, options, stop))
                .SelectMany(embedding => embedding.Vector.ToArray()).ToArray();
            byModel_.AddOrUpdate(lease.Encoder, new Documents(texts,
                new Embeddings(vectors, texts.Length == 0 ? lease.Encoder.Dimension
                    : vectors.Length / texts.Length)));
        }

        public async Task<Hits> SearchAsync(Query query, CancellationToken stop)
        {
            using EncoderLease lease = models.Lease();
            if (!byModel_.TryGetValue(lease.Encoder, out Documents? documents) ||
                documents.Texts.Length == 0)
                return new Hits(lease.ModelId, []);
            EmbeddingGenerationOptions options = query_.ToGenerationOptions();
            options.ModelId = lease.ModelId;
            ReadOnlyMemory<float> vector =
                await generator.GenerateVectorAsync(query.Text, options, stop);
            SearchHit[] hits = Search.Nearest(new Embeddings(vector.ToArray(), vector.Length),
                documents.Vectors, query.K)[0];
            return new Hits(lease.ModelId,
                hits.Select(hit => new Hit(documents.Texts[hit.Index], hit.Score)).ToArray());
        }
    }
}
