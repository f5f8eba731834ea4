// Exact nearest-neighbor search.
using System;
using System.Globalization;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A hit of a search: one of the nearest embeddings.</summary>
    /// <param name="Index">The index of the embedding in the corpus.</param>
    /// <param name="Score">Its similarity to the query.</param>
    public readonly record struct SearchHit(int Index, float Score)
    {
        /// <inheritdoc/>
        public override string ToString() =>
            string.Format(CultureInfo.InvariantCulture, "{0}: {1}", Index, Score);
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
        /// <exception cref="ContrastiveException">Numeric: an embedding contains NaN or an infinite
        /// number. The message names it.</exception>
        public static SearchHit[][] Nearest(Embeddings queries, Embeddings corpus, int k,
            Metric metric = Metric.Cosine, CancellationToken cancellationToken = default)
        {
            Rows.SameDimension(queries, corpus, nameof(queries), nameof(corpus));
            int found = Math.Min(Guard.Positive(k), corpus.Count);
            var hits = new SearchHit[queries.Count][];
            var indices = new int[Guard.Items(hits.Length, found, "search for fewer queries.")];
            var scores = new float[indices.Length];
            if (found > 0)
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
        /// <exception cref="ContrastiveException">Numeric: an embedding contains NaN or an infinite
        /// number. The message names it. The content of the results is then undefined.</exception>
        public static void Nearest(ReadOnlySpan<float> queries, ReadOnlySpan<float> corpus,
            int dimension, int k, Span<int> indices, Span<float> scores,
            Metric metric = Metric.Cosine, CancellationToken cancellationToken = default)
        {
            NativeLoader.Require();
            int rows = Rows.Count(queries, dimension, nameof(queries)),
                others = Rows.Count(corpus, dimension, nameof(corpus)),
                measure = Guard.Known(metric);
            Guard.Positive(k);
            Guard.HasRoom(indices.Length, (long)rows * k, nameof(indices));
            Guard.HasRoom(scores.Length, (long)rows * k, nameof(scores));
            using var scope = new CancelScope(cancellationToken);
            fixed (float* query = queries, start = corpus, score = scores)
            fixed (int* index = indices)
            {
                try
                {
                    Native.cs_search(query, rows, start, others, dimension, measure, k, index,
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
