// An encoder that can be replaced by a retrained one while it is in use.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

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
                string fingerprint = encoder.Info().Fingerprint.Substring(0, FingerprintDigits);
                ModelId = name + "@" + fingerprint;
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
        /// <returns>The <see cref="ModelId"/> of the next encoder.</returns>
        public string Swap(SentenceEncoder next, string? name = null) =>
            MakeCurrent(Admit(next, name));

        /// <summary>Prepares the next encoder and then replaces the current one. Running requests
        /// finish with the encoder that they have leased.</summary>
        /// <param name="next">The next encoder. This object owns it from here on, and disposes of
        /// it if the swap fails.</param>
        /// <param name="prepare">Called with the next encoder before it becomes the current one,
        /// for example to embed the documents of an index. Requests to a generator with the lease's
        /// id use that encoder already. If the preparation fails, the current encoder stays.
        /// </param>
        /// <param name="name">The next model's name. Null: the name stays the same.</param>
        /// <returns>The <see cref="ModelId"/> of the next encoder.</returns>
        public async Task<string> SwapAsync(SentenceEncoder next,
            Func<EncoderLease, Task> prepare, string? name = null)
        {
            Entry entry = Admit(next, name);
            try
            {
                if (prepare == null) throw new ArgumentNullException(nameof(prepare));
                EncoderLease lease;
                lock (gate_) lease = Lend(entry);
                using (lease) await prepare(lease).ConfigureAwait(false);
            }
            catch
            {
                Release(entry);
                throw;
            }
            return MakeCurrent(entry);
        }

        private string MakeCurrent(Entry entry)
        {
            Entry previous;
            lock (gate_)
            {
                previous = disposed_ ? entry : current_;
                if (!disposed_) current_ = entry;
            }
            Release(previous);
            if (previous == entry) throw new ObjectDisposedException(nameof(SwappableEncoder));
            Swapped?.Invoke(this, new EncoderSwappedEventArgs(previous.ModelId, entry.ModelId));
            return entry.ModelId;
        }

        private Entry Admit(SentenceEncoder next, string? name)
        {
            if (next == null) throw new ArgumentNullException(nameof(next));
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
