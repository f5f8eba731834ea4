// The embeddings of several texts, in one block of memory.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Contrastive
{
    /// <summary>The embeddings of some texts: one array, row by row, of which each item is a
    /// view.</summary>
    public sealed class Embeddings : IReadOnlyList<ReadOnlyMemory<float>>
    {
        private readonly float[] values_;

        /// <summary>Takes an array over, without copying it.</summary>
        /// <param name="values">[count, dimension] row by row.</param>
        /// <param name="dimension">Floats of one embedding.</param>
        public Embeddings(float[] values, int dimension) : this(values, dimension, Array.Empty<int>()) { }

        internal Embeddings(float[] values, int dimension, int[] tokenCounts)
        {
            values_ = values ?? throw new ArgumentNullException(nameof(values));
            if (dimension <= 0 || values.Length % dimension != 0)
                throw new ArgumentException(values.Length + " floats are no whole number of embeddings of " + dimension + ".", nameof(dimension));
            Dimension = dimension;
            TokenCounts = tokenCounts;
        }

        /// <summary>How many there are.</summary>
        public int Count => values_.Length / Dimension;

        /// <summary>Floats of one.</summary>
        public int Dimension { get; }

        /// <summary>Tokens of each text before it was cut: one above the maximum length was. Empty
        /// for embeddings from elsewhere.</summary>
        public ReadOnlyMemory<int> TokenCounts { get; }

        /// <summary>All floats, row by row.</summary>
        public ReadOnlyMemory<float> Values => values_;

        /// <summary>One embedding.</summary>
        public ReadOnlyMemory<float> this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count) throw new ArgumentOutOfRangeException(nameof(index), index, "There are " + Count + " embeddings.");
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
