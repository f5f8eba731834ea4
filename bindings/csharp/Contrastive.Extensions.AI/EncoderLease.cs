// A request's hold on an encoder.
using System;
using System.Threading;

namespace Contrastive.Extensions.AI
{
    /// <summary>Keeps an encoder of a <see cref="SwappableEncoder"/> usable until the lease is
    /// disposed of, even if it is replaced meanwhile.</summary>
    public sealed class EncoderLease : IDisposable
    {
        private readonly SwappableEncoder owner_;
        private SwappableEncoder.Entry? entry_;

        internal EncoderLease(SwappableEncoder owner, SwappableEncoder.Entry entry)
        {
            owner_ = owner;
            entry_ = entry;
        }

        private SwappableEncoder.Entry Entry =>
            Volatile.Read(ref entry_) ?? throw new ObjectDisposedException(nameof(EncoderLease));

        /// <summary>The encoder. Do not dispose of it, and do not use it after the lease.</summary>
        public SentenceEncoder Encoder => Entry.Encoder;

        /// <summary>The id of the encoder's model. Requests to a generator with this id
        /// (<c>EmbeddingGenerationOptions.ModelId</c>) use the leased encoder.</summary>
        public string ModelId => Entry.ModelId;

        /// <summary>Ends the lease. A second call does nothing.</summary>
        public void Dispose()
        {
            SwappableEncoder.Entry? entry = Interlocked.Exchange(ref entry_, null);
            if (entry != null) owner_.Release(entry);
        }
    }
}
