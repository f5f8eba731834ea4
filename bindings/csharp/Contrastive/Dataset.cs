// Datasets: training examples in a file or in memory.
using System;
using System.Collections.Generic;
using System.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Training examples, either in a file, which is read on demand, or added one by one.
    /// Only one thread at a time may use a dataset.</summary>
    public sealed unsafe class Dataset : IDisposable
    {
        private readonly DatasetHandle handle_;

        private Dataset(DatasetHandle handle) => handle_ = handle;

        /// <summary>Creates an empty dataset, to which you add examples with Add.</summary>
        public Dataset() : this(Begin()) { }

        private static DatasetHandle Begin()
        {
            NativeLoader.Require();
            return Native.cs_dataset_new();
        }

        /// <summary>Opens a file of texts (.txt, one per line), pairs (.tsv) or objects (.jsonl).
        /// The file may be larger than memory.</summary>
        /// <param name="path">The file. Do not change it while it is in use.</param>
        /// <param name="config">Keys of <c>Config.Describe("data")</c>.</param>
        /// <exception cref="ContrastiveException">NotFound, IO, Format with file and line, Limit,
        /// Argument.</exception>
        public static Dataset Open(string path, Config? config = null)
        {
            Guard.NotNull(path);
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

        /// <summary>The number of examples.</summary>
        public long Count => Failure.Checked(Native.cs_dataset_size(Handle), "cs_dataset_size");

        /// <summary>Adds a text.</summary>
        public void Add(string text)
        {
            Guard.NotNull(text);
            Add(text, null);
        }

        /// <summary>Adds a pair of texts. All examples of a dataset are single texts, or all are
        /// pairs.</summary>
        /// <param name="textA">One text.</param>
        /// <param name="textB">The other.</param>
        /// <param name="label">A score; null if the example has no score.</param>
        public void Add(string textA, string? textB, double? label = null)
        {
            byte[] a = Utf8.Bytes(Guard.NotNull(textA));
            byte[]? b = textB == null ? null : Utf8.Bytes(textB);
            fixed (byte* startA = a, startB = b)
                Native.cs_dataset_add(Handle, startA, a.Length - 1, startB,
                    b == null ? 0 : b.Length - 1, label ?? double.NaN);
        }

        /// <summary>Adds an example: one text, a pair, or a pair with hard negatives (texts that
        /// are similar to the first text but do not belong to it).
        /// </summary>
        /// <param name="texts">The first text, its positive, then negatives; an empty negative is
        /// ignored. At most 64 texts.</param>
        /// <param name="label">A score; null if the example has no score.</param>
        public void Add(IEnumerable<string> texts, double? label = null)
        {
            Guard.NotNull(texts);
            var packed = new PackedTexts(texts as string[] ?? texts.ToArray(), nameof(texts));
            fixed (byte* data = packed.Data)
            fixed (int* offsets = packed.Offsets)
                Native.cs_dataset_add_packed(Handle, data, offsets, packed.Offsets.Length - 1,
                    label ?? double.NaN);
        }

        /// <summary>Frees the dataset. Trainers that use it keep what they need.</summary>
        public void Dispose() => handle_.Dispose();
    }
}
