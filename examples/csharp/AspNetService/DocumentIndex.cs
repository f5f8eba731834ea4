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
        private readonly object changing_ = new();
        private readonly EncodeOptions query_ = new()
        {
            Prompt = configuration["Search:QueryPrompt"] ?? ""
        };
        private string[] texts_ = [];

        /// <summary>Replaces the documents. Returns the id of the model that embedded
        /// them.</summary>
        public string Replace(string[] texts, CancellationToken stop)
        {
            lock (changing_)
            {
                using EncoderLease lease = models.Lease();
                Embed(lease, texts, stop);
                texts_ = texts;
                return lease.ModelId;
            }
        }

        /// <summary>Embeds the documents with a retrained model, and then makes it the current
        /// one.</summary>
        public string Swap(SentenceEncoder next, CancellationToken stop)
        {
            lock (changing_)
                return models.Swap(next, prepare: lease => Embed(lease, texts_, stop));
        }

        private void Embed(EncoderLease lease, string[] texts, CancellationToken stop)
        {
            var documents = new Documents(texts, lease.Encoder.Encode(texts, null, stop));
            byModel_.AddOrUpdate(lease.Encoder, documents);
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
