// Vocabularies for models from nothing.
using System;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Learning the vocabulary of a tokenizer, with which a model of one's own begins
    /// (<see cref="SentenceEncoder.Create"/>).</summary>
    public static class Vocabulary
    {
        /// <summary> Learns a vocabulary from texts, one a line, and writes it as a folder that
        /// <see cref="SentenceEncoder.Create"/> and Hugging Face's tokenizers read: WordPiece or
        /// byte-level BPE.
        /// </summary>
        /// <param name="input">A text file.</param>
        /// <param name="output">The folder; an existing one is replaced only if it is empty or
        /// holds a vocabulary.</param>
        /// <param name="config">Keys of <c>Config.Describe("vocabulary")</c>.</param>
        /// <param name="cancellationToken">Stops it.</param>
        public static void Train(string input, string output, Config? config = null, CancellationToken cancellationToken = default)
        {
            if (input == null) throw new ArgumentNullException(nameof(input));
            if (output == null) throw new ArgumentNullException(nameof(output));
            using ConfigHandle lent = Config.Lend(config);
            using var scope = new CancelScope(cancellationToken);
            try
            {
                Native.cs_vocabulary_train(input, output, lent, scope.Flag);
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }
    }
}
