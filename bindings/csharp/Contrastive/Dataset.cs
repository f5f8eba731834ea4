// Texts to train on.
using System;
using System.Collections.Generic;
using System.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Training examples: a file that stays on the disk, or texts that are added one by
    /// one. For one thread at a time.</summary>
    public sealed unsafe class Dataset : IDisposable
    {
        private readonly DatasetHandle handle_;

        private Dataset(DatasetHandle handle) => handle_ = handle;

        /// <summary>An empty dataset, to be filled by Add.</summary>
        public Dataset() : this(Begin()) { }

        private static DatasetHandle Begin()
        {
            NativeLoader.Require();
            return Native.cs_dataset_new();
        }

        /// <summary>Opens a file of texts (.txt: one a line), pairs (.tsv) or objects (.jsonl),
        /// which may be larger than memory.</summary>
        /// <param name="path">The file, which must not change while it is in use.</param>
        /// <param name="config">Keys of <c>Config.Describe("data")</c>.</param>
        /// <exception cref="ContrastiveException">NotFound, IO, Format with file and line, Limit,
        /// Argument.</exception>
        public static Dataset Open(string path, Config? config = null)
        {
            if (path == null) throw new ArgumentNullException(nameof(path));
            using ConfigHandle lent = Config.Lend(config);
            return new Dataset(Native.cs_dataset_open(path, lent));
        }

        internal DatasetHandle Handle
        {
            get
            {
                handle_.ThrowIfDisposed(nameof(Dataset));
                return handle_;
            }
        }

        /// <summary>How many examples there are.</summary>
        public long Count => Failure.Checked(Native.cs_dataset_size(Handle), "cs_dataset_size");

        /// <summary>Adds a text.</summary>
        public void Add(string text)
        {
            if (text == null) throw new ArgumentNullException(nameof(text));
            Add(text, null, double.NaN);
        }

        /// <summary>Adds a pair of texts. All examples of a dataset are single texts, or all are
        /// pairs.</summary>
        /// <param name="textA">One text.</param>
        /// <param name="textB">The other.</param>
        /// <param name="label">A score; NaN for none.</param>
        public void Add(string textA, string? textB, double label = double.NaN)
        {
            byte[] a = Utf8.Bytes(textA ?? throw new ArgumentNullException(nameof(textA)));
            byte[]? b = textB == null ? null : Utf8.Bytes(textB);
            fixed (byte* startA = a, startB = b) Native.cs_dataset_add(Handle, startA, a.Length - 1, startB, b == null ? 0 : b.Length - 1, label);
        }

        /// <summary> Adds an example of any number of texts: one, a pair, or a pair and hard
        /// negatives, which resemble the first and are no partners of it.
        /// </summary>
        /// <param name="texts">The first text, its positive, negatives; an empty negative is none.
        /// At most 64.</param>
        /// <param name="label">A score; NaN for none.</param>
        public void Add(IEnumerable<string> texts, double label = double.NaN)
        {
            if (texts == null) throw new ArgumentNullException(nameof(texts));
            var packed = new PackedTexts(texts as string[] ?? texts.ToArray(), nameof(texts));
            fixed (byte* data = packed.Data)
            fixed (int* offsets = packed.Offsets)
                Native.cs_dataset_add_packed(Handle, data, offsets, packed.Offsets.Length - 1, label);
        }

        /// <summary>Frees the dataset; trainers that use it keep what they need.</summary>
        public void Dispose() => handle_.Dispose();
    }
}
