// An encoder that can be replaced by a retrained one while it is in use.
using System;
using System.Collections.Generic;

namespace Contrastive.Extensions.AI
{
    /// <summary>Holds the current encoder of a service, and replaces it without dropping a request.
    /// It is thread-safe. A request takes a lease, and keeps the encoder of its lease until it
    /// disposes of the lease. A replaced encoder is freed when its last lease ends.</summary>
    /// <example><code>
    /// using var models = new SwappableEncoder(SentenceEncoder.Load("model"), "search");
    /// using (EncoderLease lease = models.Lease())
    ///     lease.Encoder.Encode("a text");
    /// models.Swap(trainer.Model());
    /// </code></example>
    public sealed class SwappableEncoder : IDisposable
    {
        private const int FingerprintDigits = 12;

        /// <summary>An encoder with its references: one while it is current, and one for each
        /// lease.</summary>
        internal sealed class Entry
        {
            internal Entry(SentenceEncoder encoder, string name)
            {
                Encoder = encoder;
                Name = name;
                ModelId = name + "@" + encoder.Info().Fingerprint.Substring(0, FingerprintDigits);
                References = 1;
            }

            internal SentenceEncoder Encoder { get; }
            internal string Name { get; }
            internal string ModelId { get; }
            internal int References { get; set; }
        }

        private readonly object gate_ = new object();
        private readonly List<Entry> living_ = new List<Entry>();  // the newest is the last
        private Entry current_;
        private bool disposed_;

        /// <summary>Holds a first encoder, which it then owns.</summary>
        /// <param name="encoder">The encoder.</param>
        /// <param name="name">The model's name.</param>
        public SwappableEncoder(SentenceEncoder encoder, string? name = null)
        {
            current_ = new Entry(encoder ?? throw new ArgumentNullException(nameof(encoder)),
                name ?? "model");
            living_.Add(current_);
        }

        /// <summary>Called after each swap, by the thread that swapped.</summary>
        public event EventHandler<EncoderSwappedEventArgs>? Swapped;

        /// <summary>The name of the current model with the beginning of the fingerprint of its
        /// weights, as in "search@3f2a9c1b55d0". Two models have the same id only if their name and
        /// weights are equal, so it can be part of a cache's key, or be stored with
        /// vectors.</summary>
        public string ModelId
        {
            get
            {
                lock (gate_) return current_.ModelId;
            }
        }

        /// <summary>The number of encoders in memory: the current one, and those that leases still
        /// hold.</summary>
        public int LivingEncoders
        {
            get
            {
                lock (gate_) return living_.Count;
            }
        }

        /// <summary>Takes a lease of the current encoder.</summary>
        /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
        public EncoderLease Lease() => Lease(null);

        /// <summary>Takes a lease of a particular encoder.</summary>
        /// <param name="modelId">The <see cref="EncoderLease.ModelId"/> of the current encoder or
        /// of one that another lease holds, or the name of the current one. Null: the current
        /// one.</param>
        /// <exception cref="ArgumentException">There is no such encoder.</exception>
        /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
        public EncoderLease Lease(string? modelId)
        {
            lock (gate_)
            {
                if (disposed_) throw new ObjectDisposedException(nameof(SwappableEncoder));
                Entry? entry = modelId == null || modelId == current_.Name ? current_
                    : living_.FindLast(living => living.ModelId == modelId);
                if (entry == null)
                    throw new ArgumentException("This generator has the model '" +
                        current_.ModelId + "', not '" + modelId + "'.", nameof(modelId));
                return Lend(entry);
            }
        }

        /// <summary>Replaces the current encoder. Running requests finish with the encoder that
        /// they have leased.</summary>
        /// <param name="next">The next encoder. This object owns it from here on, and disposes of
        /// it if the swap fails.</param>
        /// <param name="name">The next model's name. Null: the name stays the same.</param>
        /// <param name="prepare">Called with the next encoder before it becomes the current one,
        /// for example to embed the documents of an index. If it throws, the current encoder
        /// stays.</param>
        /// <returns>The <see cref="ModelId"/> of the next encoder.</returns>
        public string Swap(SentenceEncoder next, string? name = null,
            Action<EncoderLease>? prepare = null)
        {
            if (next == null) throw new ArgumentNullException(nameof(next));
            Entry entry = Admit(next, name);
            Entry previous;
            try
            {
                if (prepare != null)
                {
                    EncoderLease lease;
                    lock (gate_) lease = Lend(entry);
                    using (lease) prepare(lease);
                }
                lock (gate_)
                {
                    if (disposed_) throw new ObjectDisposedException(nameof(SwappableEncoder));
                    previous = current_;
                    current_ = entry;
                }
            }
            catch
            {
                Release(entry);
                throw;
            }
            Release(previous);
            Swapped?.Invoke(this, new EncoderSwappedEventArgs(previous.ModelId, entry.ModelId));
            return entry.ModelId;
        }

        private Entry Admit(SentenceEncoder next, string? name)
        {
            try
            {
                string same;
                lock (gate_) same = current_.Name;
                var entry = new Entry(next, name ?? same);  // reads all weights: outside the lock
                lock (gate_)
                {
                    if (disposed_) throw new ObjectDisposedException(nameof(SwappableEncoder));
                    living_.Add(entry);
                }
                return entry;
            }
            catch
            {
                next.Dispose();
                throw;
            }
        }

        private EncoderLease Lend(Entry entry)
        {
            ++entry.References;
            return new EncoderLease(this, entry);
        }

        internal void Release(Entry entry)
        {
            lock (gate_)
            {
                if (--entry.References > 0) return;
                living_.Remove(entry);
            }
            entry.Encoder.Dispose();
        }

        /// <summary>Refuses new leases. The encoder is freed when the last lease ends.</summary>
        public void Dispose()
        {
            lock (gate_)
            {
                if (disposed_) return;
                disposed_ = true;
            }
            Release(current_);
        }
    }
}
