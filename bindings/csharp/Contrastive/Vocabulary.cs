// Learns vocabularies for new models.
using System;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Learns the vocabulary of a tokenizer. It is the first step of training a model from
    /// scratch (<see cref="SentenceEncoder.Create"/>).</summary>
    public static class Vocabulary
    {
        /// <summary>Learns a WordPiece or byte-level BPE vocabulary from texts, one per line, and
        /// writes it as a folder that <see cref="SentenceEncoder.Create"/> and Hugging Face's
        /// tokenizers read.
        /// </summary>
        /// <param name="input">A text file.</param>
        /// <param name="output">The folder; an existing one is replaced only if it is empty or
        /// contains a vocabulary.</param>
        /// <param name="config">Keys of <c>Config.Describe("vocabulary")</c>.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Stops the call.</param>
        public static void Train(string input, string output, Config? config = null,
            IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(input);
            Guard.NotNull(output);
            using ConfigHandle lent = Config.Lend(config);
            CancelScope.Call(
                flag => Native.cs_vocabulary_train(input, output, lent, flag), progress,
                cancellationToken);
        }
    }
}
