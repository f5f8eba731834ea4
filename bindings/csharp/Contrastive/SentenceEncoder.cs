// Sentence encoders: load, create, save, embed, tokenize, evaluate, mine and adapt.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A model that turns texts into vectors (embeddings). It consists of a tokenizer, an
    /// encoder, a pooling and any layers after it. It is thread-safe: any number of threads may use
    /// it at once. It never changes.
    /// </summary>
    /// <remarks>Dispose of it when you no longer need it, because it holds the weights. Running
    /// calls of other threads finish first; later calls throw
    /// <see cref="ObjectDisposedException"/>. Trainers that started from it keep what they need.
    /// </remarks>
    /// <example>
    /// To get the folder:
    /// <c>hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2</c>
    /// <code>
    /// using var encoder = SentenceEncoder.Load("all-MiniLM-L6-v2");
    /// string[] texts = { "A man is eating food.", "Someone has a meal." };
    /// Embeddings embeddings = encoder.Encode(texts);
    /// float score = Similarity.Score(embeddings[0].Span, embeddings[1].Span);
    /// </code></example>
    public sealed unsafe partial class SentenceEncoder : IDisposable
    {
        private const int StackBytes = 1024;  // shorter texts are packed on the stack
        private const int StackOffsets = 64;

        private readonly ModelHandle handle_;

        internal SentenceEncoder(ModelHandle handle)
        {
            handle_ = handle;
            handle.Weigh(Native.cs_model_memory(handle));
            Dimension = (int)Failure.Checked(Native.cs_model_dimension(handle),
                "cs_model_dimension");
            MaxLength = (int)Failure.Checked(Native.cs_model_max_length(handle),
                "cs_model_max_length");
        }

        /// <summary>Loads a sentence-transformers or Hugging Face folder.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="config">Keys of <c>Config.Describe("model")</c>, such as device and
        /// precision; "kind" is always "encoder".</param>
        /// <exception cref="ContrastiveException">NotFound, Format, Unsupported, ...; the message
        /// names the file and the key or tensor.</exception>
        public static SentenceEncoder Load(string path, Config? config = null)
        {
            Guard.NotNull(path);
            using ConfigHandle lent = Config.LendFor("encoder", config);
            return new SentenceEncoder(Native.cs_model_load(path, lent));
        }

        /// <summary>Creates a model with random weights, to train from scratch.</summary>
        /// <param name="config">Keys of <c>Config.Describe("recipe")</c>, such as "tokenizer" and
        /// "pooling". The key "seed" determines the weights.</param>
        public static SentenceEncoder Create(Config config)
        {
            using ConfigHandle lent =
                Config.Lend(Guard.NotNull(config));
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

        /// <summary>The number of floats in an embedding with the model's own options.</summary>
        public int Dimension { get; }

        /// <summary>The maximum number of tokens of a text, special tokens included. Longer texts
        /// are cut.</summary>
        public int MaxLength { get; }

        /// <summary>Describes the loaded model: shape, pooling, tokenizer, prompts, device, and
        /// notes. The first call reads all weights to compute the fingerprint.</summary>
        public ModelInfo Info() => new ModelInfo(Native.cs_model_info(Handle));

        /// <summary>The number of floats in an embedding with these options. Pooling and truncation
        /// may change it.</summary>
        public int DimensionOf(EncodeOptions? options)
        {
            if (options == null || options.KeepsDimension) return Dimension;
            return Native.cs_encode_dimension_flat(Handle, options.Pooling,
                options.TruncateDimension ?? 0);
        }

        /// <summary>Embeds one text.</summary>
        public float[] Encode(string text, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            var embedding = new float[DimensionOf(options)];
            Encode(text, embedding, options, cancellationToken);
            return embedding;
        }

        /// <summary>Embeds one text into the caller's memory, without a copy.</summary>
        public void Encode(string text, Span<float> destination, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(text);
            if (text.Length > StackBytes / Utf8.MostBytesPerChar)
            {
                Run(new PackedTexts(new[] { text }, nameof(text)), destination, default, options,
                    cancellationToken);
                return;
            }
            byte* data = stackalloc byte[StackBytes];
            int* offsets = stackalloc int[2] { 0, Utf8.Encode(text, data, StackBytes) };
            Run(data, offsets, 1, destination, default, options, null, cancellationToken);
        }

        /// <summary>Embeds texts. One call with many texts is faster than many calls. The embedding
        /// of a text does not depend on the other texts, except that the last bits may differ from
        /// those of the same text embedded alone, because the order of the sums differs.</summary>
        public Embeddings Encode(IEnumerable<string> texts, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            return Encode(texts, options, null, cancellationToken);
        }

        /// <summary>Embeds texts, and reports the progress.</summary>
        /// <param name="texts">The texts.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="progress">Receives reports, if it is not null.</param>
        /// <param name="cancellationToken">Polled between internal batches.</param>
        /// <exception cref="ContrastiveException">Limit: an array of .NET cannot hold the result.
        /// Embed fewer texts in a call.</exception>
        public Embeddings Encode(IEnumerable<string> texts, EncodeOptions? options,
            IProgress<CallProgress>? progress, CancellationToken cancellationToken = default)
        {
            Guard.NotNull(texts);
            string[] all = texts as string[] ?? texts.ToArray();
            int dimension = DimensionOf(options);
            var values = new float[Guard.Items(all.Length, dimension,
                "embed fewer texts in a call, or use EncodeEachAsync.")];
            var counts = new int[all.Length];
            var packed = new PackedTexts(all, nameof(texts));
            Run(packed.Data, packed.Offsets, values, counts, options, progress, cancellationToken);
            return new Embeddings(values, dimension, counts);
        }

        /// <summary>Embeds texts into the caller's memory, without a copy.</summary>
        /// <param name="texts">The texts.</param>
        /// <param name="destination">Receives [texts, dimension] row by row.</param>
        /// <param name="tokenCounts">Receives the number of tokens of each text before truncation,
        /// or is empty.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="cancellationToken">Polled between internal batches. After a cancellation
        /// the contents of <paramref name="destination"/> are undefined.</param>
        public void Encode(ReadOnlySpan<string> texts, Span<float> destination,
            Span<int> tokenCounts = default, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Run(new PackedTexts(texts.ToArray(), nameof(texts)), destination, tokenCounts, options,
                cancellationToken);
        }

        /// <summary>Embeds texts that are already UTF-8, without a copy. Invalid UTF-8 is read as
        /// U+FFFD, or is a Format error if the model was loaded with "invalid_utf8" = "error".
        /// </summary>
        /// <param name="data">The texts, one after another. If you change them during the call, the
        /// embeddings are meaningless.</param>
        /// <param name="offsets">The offset of each text, and the end of the last one: one more
        /// offset than texts. The offsets are copied.</param>
        /// <param name="destination">Receives [texts, dimension] row by row.</param>
        /// <param name="tokenCounts">Receives the number of tokens of each text before truncation,
        /// or is empty.</param>
        /// <param name="options">Null: the model's defaults.</param>
        /// <param name="cancellationToken">Polled between internal batches.</param>
        public void EncodeUtf8(ReadOnlySpan<byte> data, ReadOnlySpan<int> offsets,
            Span<float> destination, Span<int> tokenCounts = default, EncodeOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            // Copied so that the checked values are the ones that are used: another thread may
            // write to the span's memory.
            Span<int> own = offsets.Length <= StackOffsets ? stackalloc int[StackOffsets]
                : new int[offsets.Length];
            own = own.Slice(0, offsets.Length);
            offsets.CopyTo(own);
            int last = own.Length - 1;
            if (last > 0 && (own[0] < 0 || own[last] > data.Length))
                throw new ArgumentException("Offsets reach from " + own[0] + " to " + own[last] +
                    " in " + data.Length + " bytes.", nameof(offsets));
            Run(data, own, destination, tokenCounts, options, null, cancellationToken);
        }

        private void Run(in PackedTexts texts, Span<float> destination, Span<int> tokenCounts,
            EncodeOptions? options, CancellationToken cancellationToken) => Run(texts.Data,
            texts.Offsets, destination, tokenCounts, options, null, cancellationToken);

        private void Run(ReadOnlySpan<byte> data, ReadOnlySpan<int> offsets,
            Span<float> destination, Span<int> tokenCounts, EncodeOptions? options,
            IProgress<CallProgress>? progress, CancellationToken cancellationToken)
        {
            int count = Math.Max(offsets.Length - 1, 0);
            if (tokenCounts.Length != 0 && tokenCounts.Length < count)
                throw new ArgumentException("There is room for " + tokenCounts.Length +
                    " token counts of " + count + ".", nameof(tokenCounts));
            fixed (byte* bytes = data)
            fixed (int* starts = offsets)
                Run(bytes, starts, count, destination, tokenCounts, options, progress,
                    cancellationToken);
        }

        private void Run(byte* data, int* offsets, int count, Span<float> destination,
            Span<int> tokenCounts, EncodeOptions? options, IProgress<CallProgress>? progress,
            CancellationToken cancellationToken)
        {
            // The test of one text is as cheap as it can be: most calls embed one.
            if (options != null || count != 1 || destination.Length < Dimension)
                Guard.HasRoom(destination.Length, (long)count * DimensionOf(options),
                    nameof(destination));
            if (options == null && progress == null && !cancellationToken.CanBeCanceled)
            {
                ModelHandle handle = Handle;
                bool held = false;
                try
                {
                    handle.DangerousAddRef(ref held);  // as the runtime does around other calls
                    fixed (float* floats = destination)
                    fixed (int* counts = tokenCounts)
                        Native.cs_encode_plain(handle.DangerousGetHandle(), data, offsets, count,
                            counts, floats, destination.Length);
                }
                finally
                {
                    if (held) handle.DangerousRelease();
                }
                return;
            }
            RunUnder(data, offsets, count, destination, tokenCounts,
                options ?? EncodeOptions.AsTheModelSays, progress, cancellationToken);
        }

        private void RunUnder(byte* data, int* offsets, int count, Span<float> destination,
            Span<int> tokenCounts, EncodeOptions o, IProgress<CallProgress>? progress,
            CancellationToken cancellationToken)
        {
            using var scope = new CancelScope(cancellationToken, progress);
            fixed (float* floats = destination)
            fixed (int* counts = tokenCounts)
            {
                try
                {
                    Native.cs_encode_flat(Handle, data, offsets, count, o.NormalizeFlag, o.Pooling,
                        o.Prompt, o.PromptName, o.TruncateDimension ?? 0, o.MaxLength ?? 0,
                        o.BatchTokens ?? 0, counts, scope.Flag, floats, destination.Length);
                    scope.Finish();
                }
                catch (OperationCanceledException failure)
                {
                    throw scope.Translate(failure);
                }
            }
        }

        /// <summary>Tokenizes a text. Returns the token ids, special tokens included, and the
        /// position of each token in the string, as an index of UTF-16 units.</summary>
        /// <param name="text">The text.</param>
        /// <param name="maxLength">The maximum number of ids; null: the model's own limit;
        /// <see cref="Tokens.Unlimited"/>: no limit.</param>
        public Tokens Tokenize(string text, int? maxLength = null) =>
            Tokens.Of(Handle, Guard.NotNull(text), maxLength);

        /// <summary>Tokenizes a text that is already UTF-8. Positions are byte offsets. Invalid
        /// UTF-8 is treated as in <see cref="EncodeUtf8"/>.</summary>
        public Tokens TokenizeUtf8(ReadOnlySpan<byte> text, int? maxLength = null) =>
            Tokens.Of(Handle, text, maxLength);

        /// <summary>Tokenizes a pair of texts as one sequence, with the type of each id. The longer
        /// text is cut first.</summary>
        public Tokens TokenizePair(string textA, string textB, int? maxLength = null) =>
            Tokens.OfPair(Handle, Guard.NotNull(textA),
                Guard.NotNull(textB), maxLength);

        /// <summary>Measures the model on a task.</summary>
        /// <param name="task">"sts", "retrieval", "geometry", ...; <see cref="Config.DescribeAll"/>
        /// lists all tasks and their keys.</param>
        /// <param name="config">Keys of <c>Config.Describe(task)</c>, such as "data".</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Polled between batches.</param>
        /// <exception cref="ContrastiveException">Argument, which suggests the nearest name;
        /// NotFound; Format, with file and line; ...</exception>
        public Report Evaluate(string task, Config config,
            IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(task);
            using ConfigHandle lent =
                Config.Lend(Guard.NotNull(config));
            return new Report(CancelScope.Call(
                flag => Native.cs_evaluate(Handle, task, lent, flag), progress,
                cancellationToken));
        }

        /// <summary>Mines hard negatives. For each pair (anchor, positive) it finds texts that are
        /// similar to the anchor but do not answer it, and writes a file to train on. The search is
        /// exact.
        /// </summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">Texts to search; the positives are always candidates. If null, only
        /// the positives are searched.</param>
        /// <param name="output">The output file; its name ends in .jsonl or .tsv. It is replaced
        /// when mining has finished.</param>
        /// <param name="config">Keys of <c>Config.Describe("mining")</c>.</param>
        /// <param name="guide">A second encoder that scores the candidates; null: none.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Polled between batches. If the call is cancelled,
        /// repeating it later reuses the embeddings already computed.</param>
        /// <returns>The number of rows written, how many candidates each filter removed, statistics
        /// of the scores, and a sample to inspect.</returns>
        /// <exception cref="ContrastiveException">Argument, with the key's name, or if no negative
        /// is left; IO; ...</exception>
        public Report Mine(Dataset pairs, Dataset? corpus, string output, Config? config = null,
            SentenceEncoder? guide = null, IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(pairs);
            Guard.NotNull(output);
            using ConfigHandle lent = Config.Lend(config);
            return new Report(CancelScope.Call(
                flag => Native.cs_mine(Handle, guide?.Handle ?? ModelHandle.None, pairs.Handle,
                corpus?.Handle ?? DatasetHandle.None, output, lent, flag), progress,
                cancellationToken));
        }

        /// <summary>Mines hard negatives with a reranker that scores the candidates. It reads each
        /// candidate together with the anchor, which is more accurate than comparing embeddings and
        /// takes far longer.</summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">Texts to search. If null, only the positives are searched.</param>
        /// <param name="output">The output file; its name ends in .jsonl or .tsv.</param>
        /// <param name="guide">A reranker with one label, which scores the candidates.</param>
        /// <param name="config">Keys of <c>Config.Describe("mining")</c>.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Polled between batches. If the call is cancelled,
        /// repeating it later reuses the embeddings already computed.</param>
        public Report MineReranked(Dataset pairs, Dataset? corpus, string output, Reranker guide,
            Config? config = null, IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(pairs);
            Guard.NotNull(output);
            Guard.NotNull(guide);
            using ConfigHandle lent = Config.Lend(config);
            return new Report(CancelScope.Call(
                flag => Native.cs_mine(Handle, guide.Handle, pairs.Handle,
                corpus?.Handle ?? DatasetHandle.None, output, lent, flag), progress,
                cancellationToken));
        }

        /// <summary>Adapts the model to pairs of a query and the document that answers it. It
        /// splits the pairs, evaluates the model, mines hard negatives, trains, evaluates again,
        /// and writes the new model only if it is better.
        /// </summary>
        /// <param name="pairs">Pairs of texts.</param>
        /// <param name="corpus">More texts to search, in addition to the documents of the pairs;
        /// null: none.</param>
        /// <param name="output">The folder for the model; an existing model folder is replaced
        /// atomically at the end.</param>
        /// <param name="config">Keys of <c>Config.Describe("adapt")</c>.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">Polled throughout the call. If the call is cancelled,
        /// repeating it later resumes the work.</param>
        /// <returns>Whether the model was written and why, the metrics before and after with their
        /// confidence intervals, and the reports of the steps.</returns>
        /// <exception cref="ContrastiveException">Argument, with the key's name or the number of
        /// pairs that are needed; Mismatch; IO; ...</exception>
        public Report Adapt(Dataset pairs, Dataset? corpus, string output, Config? config = null,
            IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(pairs);
            Guard.NotNull(output);
            using ConfigHandle lent = Config.Lend(config);
            return new Report(CancelScope.Call(
                flag => Native.cs_adapt(Handle, pairs.Handle,
                corpus?.Handle ?? DatasetHandle.None, output, lent, flag), progress,
                cancellationToken));
        }

        /// <summary>The vocabulary entry of a token id; "" if there is none.</summary>
        public string Token(int id) => Native.cs_token(Handle, id);

        /// <summary>Writes a sentence-transformers folder. The save is atomic: at every instant,
        /// even after a crash, the path contains either the complete old folder or the complete new
        /// one. On a file system that cannot exchange two folders, such as NFS, the path does not
        /// exist for a moment.
        /// </summary>
        /// <exception cref="ContrastiveException">Argument (the existing folder is not a model),
        /// IO, NoSpace.</exception>
        public void Save(string path) =>
            Native.cs_model_save(Handle, Guard.NotNull(path));

        /// <summary>Returns an independent copy with the same weights.</summary>
        public SentenceEncoder Snapshot() => new SentenceEncoder(Native.cs_model_snapshot(Handle));

        /// <summary>Frees the model when no call uses it any more. Disposing twice does
        /// nothing.</summary>
        public void Dispose() => handle_.Dispose();
    }
}
