// The calls of a sentence encoder as tasks and as streams.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Contrastive.Interop;

namespace Contrastive
{
    public sealed partial class SentenceEncoder
    {
        /// <summary>Embeds one text on a thread of the pool.</summary>
        public Task<float[]> EncodeAsync(string text, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(text);
            return Task.Run(() => Encode(text, options, cancellationToken), cancellationToken);
        }

        /// <summary>Embeds texts on a thread of the pool.</summary>
        /// <param name="texts">The texts. They are read on that thread.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Polled between internal batches.</param>
        public Task<Embeddings> EncodeAsync(IEnumerable<string> texts,
            EncodeOptions? options = null, IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(texts);
            return Task.Run(() => Encode(texts, options, progress, cancellationToken),
                cancellationToken);
        }

        /// <summary>Calls <see cref="Evaluate"/> on a thread of its own.</summary>
        public Task<Report> EvaluateAsync(string task, Config config,
            IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default) => LongTask.Run(
                () => Evaluate(task, config, progress, cancellationToken), cancellationToken);

        /// <summary>Calls <see cref="Mine"/> on a thread of its own.</summary>
        public Task<Report> MineAsync(Dataset pairs, Dataset? corpus, string output,
            Config? config = null, SentenceEncoder? guide = null,
            IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default) => LongTask.Run(
                () => Mine(pairs, corpus, output, config, guide, progress, cancellationToken),
                cancellationToken);

        /// <summary>Calls <see cref="Adapt"/> on a thread of its own.</summary>
        public Task<Report> AdaptAsync(Dataset pairs, Dataset? corpus, string output,
            Config? config = null, IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default) => LongTask.Run(
                () => Adapt(pairs, corpus, output, config, progress, cancellationToken),
                cancellationToken);

#if NET
        /// <summary>Embeds a stream of texts, batch by batch, on threads of the pool. Only one
        /// batch is in memory.</summary>
        /// <param name="texts">The texts.</param>
        /// <param name="batchSize">The number of texts of a batch.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="cancellationToken">Polled between batches and within them.</param>
        /// <returns>The embedding of each text, in order.</returns>
        public IAsyncEnumerable<ReadOnlyMemory<float>> EncodeEachAsync(
            IAsyncEnumerable<string> texts, int batchSize = 256, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(texts);
            Guard.Positive(batchSize);
            return Each(texts, batchSize, options, cancellationToken);
        }

        /// <summary>Embeds a sequence of any length, batch by batch, on threads of the pool.
        /// </summary>
        /// <param name="texts">The texts.</param>
        /// <param name="batchSize">The number of texts of a batch.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="cancellationToken">Polled between batches and within them.</param>
        /// <returns>The embedding of each text, in order.</returns>
        public IAsyncEnumerable<ReadOnlyMemory<float>> EncodeEachAsync(IEnumerable<string> texts,
            int batchSize = 256, EncodeOptions? options = null,
            CancellationToken cancellationToken = default) =>
            EncodeEachAsync(Stream(Guard.NotNull(texts)), batchSize, options, cancellationToken);

        private async IAsyncEnumerable<ReadOnlyMemory<float>> Each(IAsyncEnumerable<string> texts,
            int batchSize, EncodeOptions? options,
            [EnumeratorCancellation] CancellationToken cancellationToken)
        {
            var batch = new List<string>(batchSize);
            await foreach (string text in texts.WithCancellation(cancellationToken)
                .ConfigureAwait(false))
            {
                batch.Add(text);
                if (batch.Count < batchSize) continue;
                Embeddings rows = await EncodeAsync(batch, options, null, cancellationToken)
                    .ConfigureAwait(false);
                batch.Clear();
                foreach (ReadOnlyMemory<float> row in rows) yield return row;
            }
            if (batch.Count == 0) yield break;
            foreach (ReadOnlyMemory<float> row in await EncodeAsync(batch, options, null,
                cancellationToken).ConfigureAwait(false))
                yield return row;
        }

#pragma warning disable CS1998  // nothing to wait for
        private static async IAsyncEnumerable<string> Stream(IEnumerable<string> texts)
        {
            foreach (string text in texts) yield return text;
        }
#pragma warning restore CS1998
#endif
    }
}
