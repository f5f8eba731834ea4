// How alike embeddings are.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>How two embeddings are compared. Larger always means more alike: the two distances
    /// are negated.</summary>
    public enum Metric
    {
        /// <summary>In [-1, 1]; 0 where a vector is zero, never NaN.</summary>
        Cosine = 0,
        /// <summary>Inner product.</summary>
        Dot = 1,
        /// <summary>Minus the L2 distance.</summary>
        Euclidean = 2,
        /// <summary>Minus the L1 distance.</summary>
        Manhattan = 3
    }

    /// <summary>Compares embeddings.</summary>
    public static unsafe class Similarity
    {
        /// <summary>How alike two embeddings are.</summary>
        public static float Score(ReadOnlySpan<float> a, ReadOnlySpan<float> b, Metric metric = Metric.Cosine)
        {
            if (a.Length != b.Length) throw new ArgumentException("Embeddings of " + a.Length + " and " + b.Length + " floats cannot be compared.",
                nameof(b));
            float score;
            Matrix(a, b, a.Length, new Span<float>(&score, 1), metric);
            return score;
        }

        /// <summary>Compares each embedding of <paramref name="a"/> with each of <paramref
        /// name="b"/>: [a, b].</summary>
        public static float[,] Matrix(Embeddings a, Embeddings b, Metric metric = Metric.Cosine)
        {
            Rows.SameDimension(a, b);
            var scores = new float[a.Count, b.Count];
            fixed (float* start = scores) Matrix(a.Values.Span, b.Values.Span, a.Dimension, new Span<float>(start, scores.Length), metric);
            return scores;
        }

        /// <summary>The same into memory of the caller.</summary>
        /// <param name="a">[a, dimension] row by row.</param>
        /// <param name="b">[b, dimension]; may be the same memory.</param>
        /// <param name="dimension">Floats of one embedding.</param>
        /// <param name="scores">Receives [a, b].</param>
        /// <param name="metric">How.</param>
        public static void Matrix(ReadOnlySpan<float> a, ReadOnlySpan<float> b, int dimension, Span<float> scores, Metric metric = Metric.Cosine)
        {
            NativeLoader.Require();
            int rowsA = Rows.Count(a, dimension, nameof(a)), rowsB = Rows.Count(b, dimension, nameof(b));
            fixed (float* startA = a, startB = b, start = scores)
                Native.cs_similarity(startA, rowsA, startB, rowsB, dimension, (int)metric, start, scores.Length);
        }
    }

    /// <summary>Arrays that hold embeddings row by row.</summary>
    internal static class Rows
    {
        internal static int Count(ReadOnlySpan<float> values, int dimension, string name)
        {
            if (dimension <= 0) throw new ArgumentOutOfRangeException(nameof(dimension), dimension, "An embedding has at least one float.");
            if (values.Length % dimension == 0) return values.Length / dimension;
            throw new ArgumentException(values.Length + " floats are no whole number of embeddings of " + dimension + ".", name);
        }

        internal static void SameDimension(Embeddings a, Embeddings b, string nameA = "a", string nameB = "b")
        {
            if (a == null) throw new ArgumentNullException(nameA);
            if (b == null) throw new ArgumentNullException(nameB);
            if (a.Dimension != b.Dimension)
                throw new ArgumentException("Embeddings of " + a.Dimension + " and " + b.Dimension + " floats cannot be compared.", nameB);
        }
    }
}
