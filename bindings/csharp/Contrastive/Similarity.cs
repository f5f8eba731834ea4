// Similarities of embeddings.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A similarity measure for two embeddings. A larger value always means more similar:
    /// the two distances are negated.</summary>
    public enum Metric
    {
        /// <summary>The cosine of the angle, in [-1, 1]; 0 if a vector is zero, never
        /// NaN.</summary>
        Cosine = 0,
        /// <summary>The inner product.</summary>
        Dot = 1,
        /// <summary>The negative L2 distance.</summary>
        Euclidean = 2,
        /// <summary>The negative L1 distance.</summary>
        Manhattan = 3
    }

    /// <summary>Computes similarities of embeddings.</summary>
    public static unsafe class Similarity
    {
        /// <summary>The similarity of two embeddings.</summary>
        public static float Score(ReadOnlySpan<float> a, ReadOnlySpan<float> b,
            Metric metric = Metric.Cosine)
        {
            if (a.Length != b.Length)
                throw new ArgumentException("Embeddings of " + a.Length + " and " + b.Length +
                    " floats cannot be compared.", nameof(b));
            float score;
            Matrix(a, b, a.Length, new Span<float>(&score, 1), metric);
            return score;
        }

        /// <summary>Compares each embedding of <paramref name="a"/> with each of <paramref
        /// name="b"/>: [a, b].</summary>
        public static float[,] Matrix(Embeddings a, Embeddings b, Metric metric = Metric.Cosine)
        {
            Rows.SameDimension(a, b);
            Guard.Items(a.Count, b.Count, "compare fewer at a time, or use Search.Nearest.");
            var scores = new float[a.Count, b.Count];
            fixed (float* start = scores)
                Matrix(a.Values.Span, b.Values.Span, a.Dimension,
                    new Span<float>(start, scores.Length), metric);
            return scores;
        }

        /// <summary>Compares embeddings and writes the scores into the caller's memory.</summary>
        /// <param name="a">[a, dimension] row by row.</param>
        /// <param name="b">[b, dimension]; may be the same memory.</param>
        /// <param name="dimension">The number of floats in an embedding.</param>
        /// <param name="scores">Receives [a, b].</param>
        /// <param name="metric">The similarity measure.</param>
        public static void Matrix(ReadOnlySpan<float> a, ReadOnlySpan<float> b, int dimension,
            Span<float> scores, Metric metric = Metric.Cosine)
        {
            NativeLoader.Require();
            int rowsA = Rows.Count(a, dimension, nameof(a)),
                rowsB = Rows.Count(b, dimension, nameof(b)), measure = Guard.Known(metric);
            Guard.HasRoom(scores.Length, (long)rowsA * rowsB, nameof(scores));
            fixed (float* startA = a, startB = b, start = scores)
                Native.cs_similarity(startA, rowsA, startB, rowsB, dimension, measure, start,
                    scores.Length);
        }
    }

    // Arrays that contain embeddings row by row.
    internal static class Rows
    {
        internal static int Count(ReadOnlySpan<float> values, int dimension, string name)
        {
            if (dimension <= 0)
                throw new ArgumentOutOfRangeException(nameof(dimension), dimension,
                    "An embedding has at least one float.");
            if (values.Length % dimension == 0) return values.Length / dimension;
            throw new ArgumentException(values.Length +
                " floats are not a whole number of embeddings of dimension " + dimension + ".",
                name);
        }

        internal static void SameDimension(Embeddings a, Embeddings b, string nameA = "a",
            string nameB = "b")
        {
            Guard.NotNull(a, nameA);
            Guard.NotNull(b, nameB);
            if (a.Dimension != b.Dimension)
                throw new ArgumentException("Embeddings of " + a.Dimension + " and " + b.Dimension +
                    " floats cannot be compared.", nameB);
        }
    }
}
