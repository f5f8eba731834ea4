// The embeddings of several texts, in one block of memory.
using System;
using System.Collections;
using System.Collections.Generic;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The embeddings of several texts in one array, row by row. Each item is a view of a
    /// row.</summary>
    public sealed class Embeddings : IReadOnlyList<ReadOnlyMemory<float>>
    {
        private readonly float[] values_;

        /// <summary>Wraps an array without copying it.</summary>
        /// <param name="values">[count, dimension] row by row.</param>
        /// <param name="dimension">The number of floats in an embedding.</param>
        public Embeddings(float[] values, int dimension)
            : this(values, dimension, System.Array.Empty<int>()) { }

        internal Embeddings(float[] values, int dimension, int[] tokenCounts)
        {
            values_ = Guard.NotNull(values);
            if (dimension <= 0 || values.Length % dimension != 0)
                throw new ArgumentException(values.Length +
                    " floats are not a whole number of embeddings of dimension " + dimension + ".",
                    nameof(dimension));
            Dimension = dimension;
            TokenCounts = tokenCounts;
        }

        /// <summary>The number of embeddings.</summary>
        public int Count => values_.Length / Dimension;

        /// <summary>The number of floats in an embedding.</summary>
        public int Dimension { get; }

        /// <summary>The number of tokens of each text before truncation. A text with more than the
        /// maximum length was cut. Empty if the embeddings do not come from
        /// <see cref="SentenceEncoder"/>.</summary>
        public ReadOnlyMemory<int> TokenCounts { get; }

        /// <summary>All floats, row by row.</summary>
        public ReadOnlyMemory<float> Values => values_;

        // The array itself, for those who do not write to it.
        internal float[] Array => values_;

        /// <summary>One embedding.</summary>
        public ReadOnlyMemory<float> this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count)
                    throw new ArgumentOutOfRangeException(nameof(index), index,
                        "There are " + Count + " embeddings.");
                return new ReadOnlyMemory<float>(values_, index * Dimension, Dimension);
            }
        }

        /// <summary>Writes the embeddings as a file of NumPy (.npy, float32, [count, dimension]).
        /// An existing file is replaced atomically.</summary>
        public unsafe void Save(string path)
        {
            Guard.NotNull(path);
            NativeLoader.Require();
            fixed (float* start = values_)
                Native.cs_npy_save(path, start, Count, Dimension);
        }

        /// <summary>Reads a matrix of floats from a file of NumPy (.npy).</summary>
        /// <exception cref="ContrastiveException">NotFound, IO, Format, Limit, ...</exception>
        public static unsafe Embeddings Load(string path)
        {
            Guard.NotNull(path);
            NativeLoader.Require();
            long count, dimension;
            Native.cs_npy_load(path, null, 0, &count, &dimension);
            if (dimension > int.MaxValue || dimension < 1)
                throw new ContrastiveException((int)ErrorKind.Format, path + " has rows of " +
                    dimension + " floats.");
            var values = new float[Guard.Items(count, dimension, "split the file " + path + ".")];
            fixed (float* start = values)
                Native.cs_npy_load(path, start, values.Length, &count, &dimension);
            return new Embeddings(values, (int)dimension);
        }

        /// <inheritdoc/>
        public override string ToString() =>
            Count + " embeddings of dimension " + Dimension;

        /// <inheritdoc/>
        public IEnumerator<ReadOnlyMemory<float>> GetEnumerator()
        {
            for (int i = 0; i < Count; ++i) yield return this[i];
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
