// A model that embeds texts.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary> A tokenizer, an encoder, a pooling and what follows it. Any number of threads may
    /// use one at once; it never changes.
    /// </summary>
    /// <remarks> Dispose of it when it is no longer needed: it holds the weights. Calls that run
    /// meanwhile in other threads finish first; later ones throw
    /// <see cref="ObjectDisposedException"/>. Trainers that began with it keep what they need.
    /// </remarks>
    /// <example>
    /// To get the folder:
    /// <c>hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2</c>
    /// <code>
    /// using var encoder = SentenceEncoder.Load("all-MiniLM-L6-v2"); Embeddings embeddings =
    /// encoder.Encode(new[] { "A man is eating food.", "Someone has a meal." }); float score =
    /// Similarity.Score(embeddings[0].Span, embeddings[1].Span);
    /// </code></example>
    public sealed unsafe class SentenceEncoder : IDisposable
    {
        private const int StackBytes = 1024;  // texts that need no more are packed on the stack
        private const int StackOffsets = 64;

        private readonly ModelHandle handle_;

        internal SentenceEncoder(ModelHandle handle)
        {
            handle_ = handle;
            Dimension = (int)Failure.Checked(Native.cs_model_dimension(handle), "cs_model_dimension");
            MaxLength = (int)Failure.Checked(Native.cs_model_max_length(handle), "cs_model_max_length");
        }

        /// <summary>Loads a sentence-transformers or Hugging Face folder.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="config">Keys of <c>Config.Describe("model")</c>; "kind" is always
        /// "encoder".</param>
        /// <exception cref="ContrastiveException">NotFound, Format, Unsupported, ...; the message
        /// names the file and the key or tensor.</exception>
        public static SentenceEncoder Load(string path, Config? config = null)
        {
            if (path == null) throw new ArgumentNullException(nameof(path));
            using ConfigHandle lent = Config.LendFor("encoder", config);
            return new SentenceEncoder(Native.cs_model_load(path, lent));
        }

        /// <summary>A model with random weights, to be trained from nothing.</summary>
        /// <param name="config">Keys of <c>Config.Describe("recipe")</c>, "tokenizer" and "pooling"
        /// among them. The weights follow from its "seed".</param>
        public static SentenceEncoder Create(Config config)
        {
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            return new SentenceEncoder(Native.cs_model_create(lent));
        }

        internal ModelHandle Handle
        {
            get
            {
                handle_.ThrowIfDisposed(nameof(SentenceEncoder));
                return handle_;
            }
        }

        /// <summary>Floats of one embedding with the model's own options.</summary>
        public int Dimension { get; }

        /// <summary>Tokens of the longest text that is embedded whole, special tokens
        /// included.</summary>
        public int MaxLength { get; }

        /// <summary>What was loaded: shape, pooling, tokenizer, prompts, device, and notes. The
        /// first call reads all weights for the fingerprint.</summary>
        public ModelInfo Info() => new ModelInfo(Native.cs_model_info(Handle));

        /// <summary>Floats of one embedding under options, of which some change it.</summary>
        public int DimensionOf(EncodeOptions? options)
        {
            if (options == null || options.KeepsDimension) return Dimension;
            return Native.cs_encode_dimension_flat(Handle, options.Pooling, options.TruncateDimension);
        }

        /// <summary>Embeds one text.</summary>
        public float[] Encode(string text, EncodeOptions? options = null, CancellationToken cancellationToken = default)
        {
            var embedding = new float[DimensionOf(options)];
            Encode(text, embedding, options, cancellationToken);
            return embedding;
        }

        /// <summary>Embeds one text into memory of the caller, which is used in place.</summary>
        public void Encode(string text, Span<float> destination, EncodeOptions? options = null, CancellationToken cancellationToken = default)
        {
            if (text == null) throw new ArgumentNullException(nameof(text));
            if (text.Length > StackBytes / Utf8.MostBytesPerChar)
            {
                Run(new PackedTexts(new[] { text }, nameof(text)), destination, default, options, cancellationToken);
                return;
            }
            byte* data = stackalloc byte[StackBytes];
            int* offsets = stackalloc int[2] { 0, Utf8.Encode(text, data, StackBytes) };
            Run(data, offsets, 1, destination, default, options, cancellationToken);
        }

        /// <summary>Embeds texts. One call with many texts is faster than many calls; the embedding
        /// of a text does not depend on the others, last bits aside: a text alone is summed in
        /// another order.</summary>
        public Embeddings Encode(IEnumerable<string> texts, EncodeOptions? options = null, CancellationToken cancellationToken = default)
        {
            if (texts == null) throw new ArgumentNullException(nameof(texts));
            var packed = new PackedTexts(texts as string[] ?? texts.ToArray(), nameof(texts));
            int dimension = DimensionOf(options), count = packed.Offsets.Length - 1;
            var values = new float[checked(count * dimension)];
            var counts = new int[count];
            Run(packed, values, counts, options, cancellationToken);
            return new Embeddings(values, dimension, counts);
        }

        /// <summary>Embeds texts into memory of the caller, which is used in place.</summary>
        /// <param name="texts">The texts.</param>
        /// <param name="destination">[texts, dimension] row by row.</param>
        /// <param name="tokenCounts">Receives the tokens of each text before it was cut, or is
        /// empty.</param>
        /// <param name="options">How.</param>
        /// <param name="cancellationToken">Looked at between internal batches; what stands in
        /// <paramref name="destination"/> then is undefined.</param>
        public void Encode(ReadOnlySpan<string> texts, Span<float> destination, Span<int> tokenCounts = default, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Run(new PackedTexts(texts.ToArray(), nameof(texts)), destination, tokenCounts, options, cancellationToken);
        }

        /// <summary> Embeds texts that are UTF-8 already, without a copy. What is not valid UTF-8
        /// reads as U+FFFD, or is a Format error where the model was loaded with "invalid_utf8" =
        /// "error".
        /// </summary>
        /// <param name="data">The texts, one after another. They must not change during the call:
        /// the embeddings would be those of no text.</param>
        /// <param name="offsets">Where each begins, and one past the end of the last: one more than
        /// there are texts. They are copied.</param>
        /// <param name="destination">[texts, dimension] row by row.</param>
        /// <param name="tokenCounts">Receives the tokens of each text before it was cut, or is
        /// empty.</param>
        /// <param name="options">How.</param>
        /// <param name="cancellationToken">Looked at between internal batches.</param>
        public void EncodeUtf8(ReadOnlySpan<byte> data, ReadOnlySpan<int> offsets, Span<float> destination, Span<int> tokenCounts = default,
            EncodeOptions? options = null, CancellationToken cancellationToken = default)
        {
            // What is checked is what is used: the span may lie over memory that another thread
            // writes meanwhile.
            Span<int> own = offsets.Length <= StackOffsets ? stackalloc int[StackOffsets] : new int[offsets.Length];
            own = own.Slice(0, offsets.Length);
            offsets.CopyTo(own);
            int last = own.Length - 1;
            if (last > 0 && (own[0] < 0 || own[last] > data.Length))
                throw new ArgumentException("Offsets reach from " + own[0] + " to " + own[last] + " in " + data.Length + " bytes.", nameof(offsets));
            Run(data, own, destination, tokenCounts, options, cancellationToken);
        }

        private void Run(in PackedTexts texts, Span<float> destination, Span<int> tokenCounts, EncodeOptions? options,
            CancellationToken cancellationToken) => Run(texts.Data, texts.Offsets, destination, tokenCounts, options, cancellationToken);

        private void Run(ReadOnlySpan<byte> data, ReadOnlySpan<int> offsets, Span<float> destination, Span<int> tokenCounts, EncodeOptions? options,
            CancellationToken cancellationToken)
        {
            int count = Math.Max(offsets.Length - 1, 0);
            if (tokenCounts.Length != 0 && tokenCounts.Length < count)
                throw new ArgumentException("There is room for " + tokenCounts.Length + " token counts of " + count + ".", nameof(tokenCounts));
            fixed (byte* bytes = data)
            fixed (int* starts = offsets)
                Run(bytes, starts, count, destination, tokenCounts, options, cancellationToken);
        }

        private void Run(byte* data, int* offsets, int count, Span<float> destination, Span<int> tokenCounts, EncodeOptions? options,
            CancellationToken cancellationToken)
        {
            if (options == null && !cancellationToken.CanBeCanceled)
            {
                ModelHandle handle = Handle;
                bool held = false;
                try
                {
                    handle.DangerousAddRef(ref held);  // as the runtime does around other calls
                    fixed (float* floats = destination)
                    fixed (int* counts = tokenCounts)
                        Native.cs_encode_plain(handle.DangerousGetHandle(), data, offsets, count, counts, floats, destination.Length);
                }
                finally
                {
                    if (held) handle.DangerousRelease();
                }
                return;
            }
            RunUnder(data, offsets, count, destination, tokenCounts, options ?? EncodeOptions.AsTheModelSays, cancellationToken);
        }

        private void RunUnder(byte* data, int* offsets, int count, Span<float> destination, Span<int> tokenCounts, EncodeOptions o,
            CancellationToken cancellationToken)
        {
            using var scope = new CancelScope(cancellationToken);
            fixed (float* floats = destination)
            fixed (int* counts = tokenCounts)
            {
                try
                {
                    Native.cs_encode_flat(Handle, data, offsets, count, o.NormalizeFlag, o.Pooling, o.Prompt, o.PromptName, o.TruncateDimension,
                        o.MaxLength, o.BatchTokens, counts, scope.Flag, floats, destination.Length);
                }
                catch (OperationCanceledException failure)
                {
                    throw scope.Translate(failure);
                }
            }
        }

        /// <summary>The token ids of a text, special tokens included, with the place of each in the
        /// string: UTF-16 units, as Substring counts.</summary>
        /// <param name="text">The text.</param>
        /// <param name="maxLength">Ids at most; 0: the model's own limit; -1: none.</param>
        public Tokens Tokenize(string text, int maxLength = 0) =>
            Tokens.Of(Handle, text ?? throw new ArgumentNullException(nameof(text)), maxLength);

        /// <summary>The same for a text that is UTF-8 already; places are bytes. What is not valid
        /// UTF-8 is treated as in
        /// <see cref="EncodeUtf8"/>.</summary>
        public Tokens TokenizeUtf8(ReadOnlySpan<byte> text, int maxLength = 0) => Tokens.Of(Handle, text, maxLength);

        /// <summary>The same for a pair of texts, with the type of each id; the longer text is cut
        /// first.</summary>
        public Tokens TokenizePair(string textA, string textB, int maxLength = 0) => Tokens.OfPair(Handle,
            textA ?? throw new ArgumentNullException(nameof(textA)), textB ?? throw new ArgumentNullException(nameof(textB)), maxLength);

        /// <summary>Measures the model on a task.</summary>
        /// <param name="task">"sts", "retrieval", "geometry", ...: <see cref="Config.DescribeAll"/>
        /// has the keys of all under their names.</param>
        /// <param name="config">Keys of <c>Config.Describe(task)</c>, "data" among them.</param>
        /// <param name="cancellationToken">Looked at between batches.</param>
        /// <exception cref="ContrastiveException">Argument with the nearest name, NotFound, Format
        /// with file and line, ...</exception>
        public Report Evaluate(string task, Config config, CancellationToken cancellationToken = default)
        {
            if (task == null) throw new ArgumentNullException(nameof(task));
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            using var scope = new CancelScope(cancellationToken);
            try
            {
                return new Report(Native.cs_evaluate(Handle, task, lent, scope.Flag));
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary> Mines hard negatives: finds, for pairs (anchor, positive), texts that are like
        /// the anchor and no answer to it, and writes them as a file to train on. The search is
        /// exact.
        /// </summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">Texts; null: the positives, which are candidates in any
        /// case.</param>
        /// <param name="output">The file; its name ends in .jsonl or .tsv. It is replaced when all
        /// is found.</param>
        /// <param name="config">Keys of <c>Config.Describe("mining")</c>.</param>
        /// <param name="guide">A second encoder, whose scores of the candidates decide; null:
        /// none.</param>
        /// <param name="cancellationToken">Looked at between batches; the same call goes on with
        /// what was embedded.</param>
        /// <returns>How many rows were written, what each filter took out, figures of the scores,
        /// and a sample to look at.</returns>
        /// <exception cref="ContrastiveException">Argument, naming the key, or where no negative is
        /// left; IO; ...</exception>
        public Report Mine(Dataset pairs, Dataset? corpus, string output, Config? config = null, SentenceEncoder? guide = null,
            CancellationToken cancellationToken = default)
        {
            if (pairs == null) throw new ArgumentNullException(nameof(pairs));
            if (output == null) throw new ArgumentNullException(nameof(output));
            using ConfigHandle lent = Config.Lend(config);
            using var scope = new CancelScope(cancellationToken);
            try
            {
                return new Report(Native.cs_mine(Handle, guide?.Handle ?? ModelHandle.None, pairs.Handle, corpus?.Handle ?? DatasetHandle.None, output,
                    lent, scope.Flag));
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>The same with a reranker as the guide: it reads each candidate together with
        /// the anchor, which takes far longer.</summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">Texts; null: the positives.</param>
        /// <param name="output">The file; its name ends in .jsonl or .tsv.</param>
        /// <param name="guide">A reranker with one label, whose scores of the candidates
        /// decide.</param>
        /// <param name="config">Keys of <c>Config.Describe("mining")</c>.</param>
        /// <param name="cancellationToken">Looked at between batches; the same call goes on with
        /// what was embedded.</param>
        public Report MineReranked(Dataset pairs, Dataset? corpus, string output, Reranker guide, Config? config = null,
            CancellationToken cancellationToken = default)
        {
            if (pairs == null) throw new ArgumentNullException(nameof(pairs));
            if (output == null) throw new ArgumentNullException(nameof(output));
            if (guide == null) throw new ArgumentNullException(nameof(guide));
            using ConfigHandle lent = Config.Lend(config);
            using var scope = new CancelScope(cancellationToken);
            try
            {
                return new Report(Native.cs_mine(Handle, guide.Handle, pairs.Handle, corpus?.Handle ?? DatasetHandle.None, output, lent,
                    scope.Flag));
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary> Adapts the model to pairs of a query and the document that answers it: splits
        /// the pairs, tests the model, mines hard negatives, trains, tests again, and writes the
        /// result only if it is better.
        /// </summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">Texts, what is searched beside the documents of the pairs; null:
        /// those alone.</param>
        /// <param name="output">The folder for the model; one that is there is replaced at the end,
        /// atomically.</param>
        /// <param name="config">Keys of <c>Config.Describe("adapt")</c>.</param>
        /// <param name="cancellationToken">Looked at all the time; the same call goes on with what
        /// was done.</param>
        /// <returns>Whether the model was written and why, the figures before and after with their
        /// intervals, and all that was found.</returns>
        /// <exception cref="ContrastiveException">Argument, naming the key, or the number of pairs
        /// that are needed; Mismatch; IO; ...</exception>
        public Report Adapt(Dataset pairs, Dataset? corpus, string output, Config? config = null, CancellationToken cancellationToken = default)
        {
            if (pairs == null) throw new ArgumentNullException(nameof(pairs));
            if (output == null) throw new ArgumentNullException(nameof(output));
            using ConfigHandle lent = Config.Lend(config);
            using var scope = new CancelScope(cancellationToken);
            try
            {
                return new Report(Native.cs_adapt(Handle, pairs.Handle, corpus?.Handle ?? DatasetHandle.None, output, lent, scope.Flag));
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>The vocabulary's text for an id, "" where it has none.</summary>
        public string Token(int id) => Native.cs_token(Handle, id);

        /// <summary> Writes a sentence-transformers folder. At every instant, through a crash too,
        /// the path holds the old complete folder or the new one. A file system that cannot
        /// exchange two folders, such as NFS, has none there for a moment.
        /// </summary>
        /// <exception cref="ContrastiveException">Argument (a folder that is no model), IO,
        /// NoSpace.</exception>
        public void Save(string path) => Native.cs_model_save(Handle, path ?? throw new ArgumentNullException(nameof(path)));

        /// <summary>An independent copy with the same weights.</summary>
        public SentenceEncoder Snapshot() => new SentenceEncoder(Native.cs_model_snapshot(Handle));

        /// <summary>Frees the model once no call uses it any more. May be called again.</summary>
        public void Dispose() => handle_.Dispose();
    }
}
