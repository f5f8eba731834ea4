// Exact nearest-neighbor search.
using System;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A hit of a search: one of the nearest embeddings.</summary>
    public readonly struct SearchHit
    {
        internal SearchHit(int index, float score)
        {
            Index = index;
            Score = score;
        }

        /// <summary>The index of the embedding in the corpus.</summary>
        public int Index { get; }
        /// <summary>Its similarity to the query.</summary>
        public float Score { get; }

        /// <inheritdoc/>
        public override string ToString() => Index + ": " + Score;
    }

    /// <summary>Exact nearest-neighbor search. It works in blocks and does not store the score
    /// matrix.</summary>
    public static unsafe class Search
    {
        /// <summary>Finds the nearest embeddings for each query, best first. Hits with equal scores
        /// are sorted by index.</summary>
        /// <param name="queries">The embeddings of the queries.</param>
        /// <param name="corpus">The embeddings to search.</param>
        /// <param name="k">The maximum number of hits of a query. A smaller corpus gives
        /// fewer.</param>
        /// <param name="metric">The similarity measure.</param>
        /// <param name="cancellationToken">Polled between blocks.</param>
        public static SearchHit[][] Nearest(Embeddings queries, Embeddings corpus, int k,
            Metric metric = Metric.Cosine, CancellationToken cancellationToken = default)
        {
            Rows.SameDimension(queries, corpus, nameof(queries), nameof(corpus));
            if (k < 1)
                throw new ArgumentOutOfRangeException(nameof(k), k,
                    "Request at least one hit.");
            int found = Math.Min(k, corpus.Count);
            var hits = new SearchHit[queries.Count][];
            if (found == 0)
            {
                for (int i = 0; i < hits.Length; ++i) hits[i] = Array.Empty<SearchHit>();
                return hits;
            }
            var indices = new int[checked(queries.Count * found)];
            var scores = new float[indices.Length];
            Nearest(queries.Values.Span, corpus.Values.Span, queries.Dimension, found, indices,
                scores, metric, cancellationToken);
            for (int i = 0; i < hits.Length; ++i)
            {
                hits[i] = new SearchHit[found];
                for (int j = 0; j < found; ++j)
                    hits[i][j] = new SearchHit(indices[i * found + j], scores[i * found + j]);
            }
            return hits;
        }

        /// <summary>Finds the nearest embeddings and writes them into the caller's memory. If the
        /// corpus is smaller than k, the rest of each row has index -1 and score
        /// -infinity.</summary>
        /// <param name="queries">[queries, dimension] row by row.</param>
        /// <param name="corpus">[corpus, dimension].</param>
        /// <param name="dimension">The number of floats in an embedding.</param>
        /// <param name="k">The number of hits of a query.</param>
        /// <param name="indices">Receives [queries, k].</param>
        /// <param name="scores">Receives [queries, k].</param>
        /// <param name="metric">The similarity measure.</param>
        /// <param name="cancellationToken">Polled between blocks.</param>
        public static void Nearest(ReadOnlySpan<float> queries, ReadOnlySpan<float> corpus,
            int dimension, int k, Span<int> indices, Span<float> scores,
            Metric metric = Metric.Cosine, CancellationToken cancellationToken = default)
        {
            NativeLoader.Require();
            int rows = Rows.Count(queries, dimension, nameof(queries)),
                others = Rows.Count(corpus, dimension, nameof(corpus));
            using var scope = new CancelScope(cancellationToken);
            fixed (float* query = queries, start = corpus, score = scores)
            fixed (int* index = indices)
            {
                try
                {
                    Native.cs_search(query, rows, start, others, dimension, (int)metric, k, index,
                        score, Math.Min(indices.Length, scores.Length), scope.Flag);
                }
                catch (OperationCanceledException failure)
                {
                    throw scope.Translate(failure);
                }
            }
        }
    }
}
