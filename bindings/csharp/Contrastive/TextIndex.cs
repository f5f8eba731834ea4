// An index that holds texts with their embeddings, in memory and in a folder.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A hit of a search in a <see cref="TextIndex"/>.</summary>
    /// <param name="Text">The text.</param>
    /// <param name="Score">Its similarity to the query.</param>
    /// <param name="Index">Its index, in the order in which texts were added.</param>
    public readonly record struct TextHit(string Text, float Score, int Index)
    {
        /// <inheritdoc/>
        public override string ToString() =>
            string.Format(CultureInfo.InvariantCulture, "{0:0.000} {1}", Score, Text);
    }

    /// <summary>Texts with their embeddings, which it searches exactly. Any number of threads may
    /// search while another one adds texts: a search sees the texts that were there when it began.
    /// </summary>
    /// <example><code>
    /// var index = new TextIndex(encoder);
    /// index.Add(new[] { "To change your password, open the settings.", "We are closed today." });
    /// foreach (TextHit hit in index.Search("I forgot my login", k: 1)) Console.WriteLine(hit);
    /// index.Save("my-index");
    /// </code></example>
    public sealed class TextIndex
    {
        private const string Vectors = "vectors.npy", Texts = "index.json";

        // Arrays that grow; what is below Count does not change.
        private sealed class State
        {
            internal readonly string[] Texts;
            internal readonly float[] Values;
            internal readonly int Count;

            internal State(string[] texts, float[] values, int count)
            {
                Texts = texts;
                Values = values;
                Count = count;
            }
        }

        private readonly SentenceEncoder encoder_;
        private readonly EncodeOptions? documents_, queries_;
        private readonly object adding_ = new object();
        private volatile State state_;

        /// <summary>Creates an empty index.</summary>
        /// <param name="encoder">The encoder. The index does not dispose of it.</param>
        /// <param name="documents">Options for the texts of the index; null: the model's.</param>
        /// <param name="queries">Options for queries, such as a prompt; null: the model's.</param>
        public TextIndex(SentenceEncoder encoder, EncodeOptions? documents = null,
            EncodeOptions? queries = null)
            : this(encoder, documents, queries,
                new State(Array.Empty<string>(), Array.Empty<float>(), 0)) { }

        private TextIndex(SentenceEncoder encoder, EncodeOptions? documents,
            EncodeOptions? queries, State state)
        {
            encoder_ = Guard.NotNull(encoder);
            documents_ = documents;
            queries_ = queries;
            Dimension = encoder.DimensionOf(documents);
            if (encoder.DimensionOf(queries) != Dimension)
                throw new ArgumentException("Queries and documents have other dimensions.",
                    nameof(queries));
            state_ = state;
        }

        /// <summary>The number of texts.</summary>
        public int Count => state_.Count;

        /// <summary>The number of floats in an embedding.</summary>
        public int Dimension { get; }

        /// <summary>A text by its index.</summary>
        public string this[int index]
        {
            get
            {
                State now = state_;
                if ((uint)index >= (uint)now.Count)
                    throw new ArgumentOutOfRangeException(nameof(index), index,
                        "There are " + now.Count + " texts.");
                return now.Texts[index];
            }
        }

        /// <summary>Embeds texts and adds them.</summary>
        /// <param name="texts">The texts.</param>
        /// <param name="progress">Receives reports.</param>
        /// <param name="cancellationToken">A cancelled call adds nothing.</param>
        public void Add(IEnumerable<string> texts, IProgress<CallProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            string[] fresh = Guard.NotNull(texts).ToArray();
            Embeddings rows = encoder_.Encode(fresh, documents_, progress, cancellationToken);
            lock (adding_)
            {
                State old = state_;
                int count = Guard.Items((long)old.Count + fresh.Length, 1, "use two indexes."),
                    room = old.Texts.Length;
                Guard.Items(count, Dimension, "use two indexes.");
                if (room < count)
                {
                    // Twice the size, as far as an array can grow.
                    long larger = Math.Min(Math.Max(2L * room, count), 0x7FFFFFC7L / Dimension);
                    room = (int)Math.Max(larger, count);
                }
                string[] all = old.Texts;
                float[] values = old.Values;
                if (room != all.Length)
                {
                    all = new string[room];
                    values = new float[room * Dimension];
                    Array.Copy(old.Texts, all, old.Count);
                    Array.Copy(old.Values, values, old.Count * Dimension);
                }
                fresh.CopyTo(all, old.Count);
                rows.Values.Span.CopyTo(values.AsSpan(old.Count * Dimension));
                state_ = new State(all, values, count);
            }
        }

        /// <summary>Finds the texts that are most similar to a query, best first.</summary>
        /// <param name="query">The query.</param>
        /// <param name="k">The maximum number of hits.</param>
        /// <param name="cancellationToken">Polled between blocks.</param>
        public TextHit[] Search(string query, int k = 10,
            CancellationToken cancellationToken = default) =>
            Search(new[] { Guard.NotNull(query) }, k, cancellationToken)[0];

        /// <summary>Finds the texts that are most similar to each query, best first.</summary>
        /// <param name="queries">The queries.</param>
        /// <param name="k">The maximum number of hits of a query.</param>
        /// <param name="cancellationToken">Polled between blocks.</param>
        public TextHit[][] Search(IEnumerable<string> queries, int k = 10,
            CancellationToken cancellationToken = default)
        {
            State now = state_;
            int found = Math.Min(Guard.Positive(k), now.Count);
            Embeddings rows = encoder_.Encode(queries, queries_, cancellationToken);
            var indices = new int[Guard.Items(rows.Count, found, "search for fewer queries.")];
            var scores = new float[indices.Length];
            if (found > 0)
                Contrastive.Search.Nearest(rows.Values.Span,
                    now.Values.AsSpan(0, now.Count * Dimension), Dimension, found, indices, scores,
                    Metric.Cosine, cancellationToken);
            return Enumerable.Range(0, rows.Count).Select(row => Enumerable
                .Range(row * found, found).Select(at => new TextHit(now.Texts[indices[at]],
                scores[at], indices[at])).ToArray()).ToArray();
        }

        /// <summary>Writes the index as a folder: the embeddings in vectors.npy, which NumPy reads,
        /// the texts and the model's fingerprint in index.json. An index that is there is replaced
        /// when everything is written.</summary>
        public void Save(string path)
        {
            State now = state_;
            string folder = Path.GetFullPath(Guard.NotNull(path)), work = folder + ".new",
                previous = folder + ".old";
            if (Directory.Exists(folder) && !File.Exists(Path.Combine(folder, Texts)))
                throw new IOException(folder + " exists and is not an index: choose another name.");
            Remove(work);
            Directory.CreateDirectory(work);
            var values = now.Values.AsSpan(0, now.Count * Dimension).ToArray();
            new Embeddings(values, Dimension).Save(Path.Combine(work, Vectors));
            using (var writer = new StreamWriter(Path.Combine(work, Texts), false,
                new UTF8Encoding(false)))
            {
                writer.Write("{\"metric\": \"cosine\", \"fingerprint\": ");
                writer.Write(Json.Write(encoder_.Info().Fingerprint));
                writer.Write(", \"texts\": [");
                for (int i = 0; i < now.Count; ++i)
                {
                    writer.Write(i == 0 ? "\n" : ",\n");
                    writer.Write(Json.Escape(now.Texts[i]));
                }
                writer.Write("\n]}\n");
            }
            Remove(previous);
            if (Directory.Exists(folder)) Directory.Move(folder, previous);
            Directory.Move(work, folder);
            Remove(previous);
        }

        /// <summary>Reads an index.</summary>
        /// <param name="path">The folder that <see cref="Save"/> wrote.</param>
        /// <param name="encoder">The encoder that embedded its texts.</param>
        /// <param name="documents">As for the constructor.</param>
        /// <param name="queries">As for the constructor.</param>
        /// <exception cref="ContrastiveException">Mismatch: another model embedded the texts;
        /// NotFound; Format; Corrupt.</exception>
        public static TextIndex Load(string path, SentenceEncoder encoder,
            EncodeOptions? documents = null, EncodeOptions? queries = null)
        {
            Guard.NotNull(path);
            Guard.NotNull(encoder);
            Embeddings rows = Embeddings.Load(Path.Combine(path, Vectors));
            string file = Path.Combine(path, Texts);
            string[] texts;
            string? fingerprint, metric;
            try
            {
                XElement content = Json.Parse(File.ReadAllText(file));
                fingerprint = Json.Text(content, "fingerprint");
                metric = Json.Text(content, "metric");
                texts = Json.Texts(content, "texts").ToArray();
            }
            catch (Exception e) when (e is System.Xml.XmlException ||
                e is InvalidOperationException)
            {
                throw new ContrastiveException((int)ErrorKind.Format, file + ": " + e.Message);
            }
            if (metric != "cosine")
                throw new ContrastiveException((int)ErrorKind.Unsupported, file +
                    ": the metric of this index is " + metric + ", and only cosine is supported.");
            // The packages of other languages write no fingerprint.
            if (fingerprint != null && fingerprint != encoder.Info().Fingerprint)
                throw new ContrastiveException((int)ErrorKind.Mismatch, path +
                    " was embedded by another model: embed the texts again.");
            var index = new TextIndex(encoder, documents, queries,
                new State(texts, rows.Array, texts.Length));
            if (rows.Dimension != index.Dimension || rows.Count != texts.Length)
                throw new ContrastiveException((int)ErrorKind.Corrupt, path + " has " + rows +
                    " for " + texts.Length + " texts of dimension " + index.Dimension + ".");
            return index;
        }

        private static void Remove(string folder)
        {
            if (Directory.Exists(folder)) Directory.Delete(folder, recursive: true);
        }
    }
}
