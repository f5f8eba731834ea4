// Rerankers (cross-encoders): load, save, score, rank and evaluate.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A document in the result of <see cref="Reranker.Rank"/>.</summary>
    /// <param name="Index">The document's index in the argument.</param>
    /// <param name="Score">How well it answers the query.</param>
    public readonly record struct RankedDocument(int Index, float Score)
    {
        /// <inheritdoc/>
        public override string ToString() =>
            string.Format(CultureInfo.InvariantCulture, "{0}: {1}", Index, Score);
    }

    /// <summary>A cross-encoder: a model that reads a query and a document together and scores how
    /// well the document answers the query. It is more accurate than comparing two embeddings, but
    /// slower, because it must read every pair. Use it to sort the hits of <see cref="Search"/>. It
    /// is thread-safe and never changes.
    /// </summary>
    /// <example><code>
    /// using var reranker = Reranker.Load("ms-marco-MiniLM-L6-v2");
    /// string[] documents = { "A fish swims.", "The sun is up." };
    /// foreach (RankedDocument ranked in reranker.Rank("who lives in the sea?", documents))
    ///     Console.WriteLine(ranked);
    /// </code></example>
    public sealed unsafe class Reranker : IDisposable
    {
        internal const int Kind = 2;  // CS_KIND_RERANKER

        private readonly ModelHandle handle_;

        internal Reranker(ModelHandle handle)
        {
            handle_ = handle;
            handle.Weigh(Native.cs_model_memory(handle));
            LabelCount = (int)Failure.Checked(Native.cs_model_labels(handle), "cs_model_labels");
            MaxLength = (int)Failure.Checked(Native.cs_model_max_length(handle),
                "cs_model_max_length");
        }

        /// <summary>Whether a folder contains a reranker. False if the folder cannot be read; Load
        /// then reports the reason.</summary>
        /// <param name="path">The folder.</param>
        public static bool Detect(string path) =>
            Native.cs_model_detect(Guard.NotNull(path)) == Kind;

        /// <summary>Loads a Hugging Face folder of ...ForSequenceClassification, or one that
        /// sentence-transformers' CrossEncoder saved.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="config">Keys of <c>Config.Describe("model")</c>, such as device and
        /// precision; "kind" is always "reranker".</param>
        /// <exception cref="ContrastiveException">NotFound, Format, Mismatch, ...; the message
        /// names the file and the key or tensor.</exception>
        public static Reranker Load(string path, Config? config = null)
        {
            Guard.NotNull(path);
            using ConfigHandle lent = Config.LendFor("reranker", config);
            return new Reranker(Native.cs_model_load(path, lent));
        }

        internal ModelHandle Handle
        {
            get
            {
                handle_.ThrowIfDisposed(nameof(Reranker));
                return handle_;
            }
        }

        /// <summary>The number of scores of a pair: 1 for most rerankers. <see cref="Info"/> has
        /// their names.</summary>
        public int LabelCount { get; }

        /// <summary>The maximum number of tokens of a pair, special tokens included. Longer pairs
        /// are cut.</summary>
        public int MaxLength { get; }

        /// <summary>Describes the loaded model: shape, labels, activation, tokenizer, prompts,
        /// device, and notes. The first call reads all weights to compute the
        /// fingerprint.</summary>
        public RerankerInfo Info() => new RerankerInfo(Native.cs_model_info(Handle));

        /// <summary>Sorts documents by how well they answer the query, best first. Documents with
        /// equal scores are sorted by index.</summary>
        /// <exception cref="InvalidOperationException">The model has several labels; use
        /// Score.</exception>
        public RankedDocument[] Rank(string query, IEnumerable<string> documents,
            RerankOptions? options = null, CancellationToken cancellationToken = default)
        {
            if (LabelCount != 1)
                throw new InvalidOperationException("The model has " + LabelCount +
                    " labels and gives no order: use Score.");
            return Score(query, documents, options, cancellationToken)
                .Select((score, index) => new RankedDocument(index, score))
                .OrderByDescending(ranked => ranked.Score).ToArray();
        }

        /// <summary>Scores each document for the query: [documents, labels] row by row.</summary>
        public float[] Score(string query, IEnumerable<string> documents,
            RerankOptions? options = null, CancellationToken cancellationToken = default)
        {
            Guard.NotNull(query);
            Guard.NotNull(documents);
            return Score(documents.SelectMany(document => new[] { query, document }).ToArray(),
                nameof(documents), options, cancellationToken);
        }

        /// <summary>Scores pairs of texts: [pairs, labels] row by row.</summary>
        public float[] Score(IEnumerable<(string First, string Second)> pairs,
            RerankOptions? options = null, CancellationToken cancellationToken = default)
        {
            Guard.NotNull(pairs);
            return Score(pairs.SelectMany(pair => new[] { pair.First, pair.Second }).ToArray(),
                nameof(pairs), options, cancellationToken);
        }

        private float[] Score(string[] texts, string name, RerankOptions? options,
            CancellationToken cancellationToken)
        {
            var packed = new PackedTexts(texts, name);
            RerankOptions o = options ?? RerankOptions.AsTheModelSays;
            var scores = new float[Guard.Items(texts.Length / 2, LabelCount,
                "score fewer pairs in a call.")];
            using var scope = new CancelScope(cancellationToken);
            fixed (byte* data = packed.Data)
            fixed (int* offsets = packed.Offsets)
            fixed (float* out_ = scores)
            {
                try
                {
                    Native.cs_rerank_flat(Handle, data, offsets, texts.Length, o.Activation,
                        o.Prompt, o.PromptName, o.MaxLength ?? 0, o.BatchTokens ?? 0, scope.Flag,
                        out_, scores.Length);
                }
                catch (OperationCanceledException failure)
                {
                    throw scope.Translate(failure);
                }
            }
            return scores;
        }

        /// <summary>Calls <see cref="Rank"/> on a thread of the pool.</summary>
        public Task<RankedDocument[]> RankAsync(string query, IEnumerable<string> documents,
            RerankOptions? options = null, CancellationToken cancellationToken = default) =>
            Task.Run(() => Rank(query, documents, options, cancellationToken), cancellationToken);

        /// <summary>Measures the reranker on a task.</summary>
        /// <param name="task">"sts" or "reranking"; the other tasks measure embeddings.</param>
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

        /// <summary>Writes a folder that sentence-transformers' CrossEncoder loads too. The save is
        /// atomic: at every instant the path contains either the complete old folder or the
        /// complete new one.</summary>
        public void Save(string path) =>
            Native.cs_model_save(Handle, Guard.NotNull(path));

        /// <summary>Frees the reranker when no call uses it any more. Disposing twice does
        /// nothing.</summary>
        public void Dispose() => handle_.Dispose();
    }
}
