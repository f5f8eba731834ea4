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
            : this(values, dimension, Array.Empty<int>()) { }

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

        /// <inheritdoc/>
        public IEnumerator<ReadOnlyMemory<float>> GetEnumerator()
        {
            for (int i = 0; i < Count; ++i) yield return this[i];
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
