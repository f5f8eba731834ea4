// What a tokenizer makes of a text.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The token ids of a text or a pair of texts.</summary>
    public sealed unsafe class Tokens
    {
        private Tokens(int[] ids, int[] begins, int[] ends, int[] typeIds)
        {
            Ids = ids;
            Begins = begins;
            Ends = ends;
            TypeIds = typeIds;
        }

        /// <summary>The ids, special tokens included.</summary>
        public ReadOnlyMemory<int> Ids { get; }
        /// <summary>The first byte of each token in the UTF-8 of the text; -1 for special tokens. Empty for pairs.</summary>
        public ReadOnlyMemory<int> Begins { get; }
        /// <summary>One past the last byte of each token. Empty for pairs.</summary>
        public ReadOnlyMemory<int> Ends { get; }
        /// <summary>The segment of each id: 0 for the first text, 1 for the second. Empty for single texts.</summary>
        public ReadOnlyMemory<int> TypeIds { get; }

        // The first call of each only counts.

        internal static Tokens Of(ModelHandle model, ReadOnlySpan<byte> text, int maxLength)
        {
            byte nothing = 0;
            long length = text.Length;
            int count = 0;
            fixed (byte* pinned = text)
            {
                byte* start = pinned == null ? &nothing : pinned;  // an empty text is no NULL
                Native.cs_tokenize(model, start, length, maxLength, null, null, null, 0, &count);
                int[] ids = new int[count], begins = new int[count], ends = new int[count];
                fixed (int* id = ids, begin = begins, end = ends) Native.cs_tokenize(model, start, length, maxLength, id, begin, end, count, &count);
                return new Tokens(ids, begins, ends, Array.Empty<int>());
            }
        }

        internal static Tokens OfPair(ModelHandle model, string textA, string textB, int maxLength)
        {
            byte[] a = Utf8.Bytes(textA), b = Utf8.Bytes(textB);
            int count = 0;
            fixed (byte* startA = a, startB = b)
            {
                Native.cs_tokenize_pair(model, startA, a.Length - 1, startB, b.Length - 1, maxLength, null, null, 0, &count);
                int[] ids = new int[count], types = new int[count];
                fixed (int* id = ids, type = types)
                    Native.cs_tokenize_pair(model, startA, a.Length - 1, startB, b.Length - 1, maxLength, id, type, count, &count);
                return new Tokens(ids, Array.Empty<int>(), Array.Empty<int>(), types);
            }
        }
    }
}
