// The event of a swapped encoder.
using System;

namespace Contrastive.Extensions.AI
{
    /// <summary>Says which model replaced which one.</summary>
    public sealed class EncoderSwappedEventArgs : EventArgs
    {
        internal EncoderSwappedEventArgs(string previous, string current)
        {
            PreviousModelId = previous;
            ModelId = current;
        }

        /// <summary>The id of the model that was replaced.</summary>
        public string PreviousModelId { get; }
        /// <summary>The id of the current model.</summary>
        public string ModelId { get; }
    }
}
