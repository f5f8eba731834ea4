// The tokens of a text.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The token ids of a text or a pair of texts.</summary>
    public sealed unsafe class Tokens
    {
        /// <summary>As maxLength of <see cref="SentenceEncoder.Tokenize"/>: no limit.</summary>
        public const int Unlimited = -1;

        private Tokens(ReadOnlyMemory<int> ids, int[] begins, int[] ends, int[] typeIds)
        {
            Ids = ids;
            Begins = begins;
            Ends = ends;
            TypeIds = typeIds;
        }

        /// <summary>The ids, special tokens included.</summary>
        public ReadOnlyMemory<int> Ids { get; }
        /// <summary>The position at which each token begins: a string index from
        /// <see cref="SentenceEncoder.Tokenize"/>, a byte offset from
        /// <see cref="SentenceEncoder.TokenizeUtf8"/>; -1 for special tokens. Empty for pairs.
        /// </summary>
        public ReadOnlyMemory<int> Begins { get; }
        /// <summary>The position after the end of each token. The token covers
        /// <c>text.Substring(begin, end - begin)</c>. In a string, if a token of a byte-level
        /// vocabulary covers only some bytes of a character, its range is the whole character.
        /// </summary>
        public ReadOnlyMemory<int> Ends { get; }
        /// <summary>The type of each id: 0, or 1 for the second text if the model distinguishes
        /// them. Empty for single texts.</summary>
        public ReadOnlyMemory<int> TypeIds { get; }

        // Tokenizes a string and converts byte offsets to UTF-16 indices.
        internal static Tokens Of(ModelHandle model, string text, int? maxLength)
        {
            byte[] utf8 = Utf8.Bytes(text);
            var bytes = new ReadOnlySpan<byte>(utf8, 0, utf8.Length - 1);
            Tokens tokens = Of(model, bytes, maxLength);
            if (bytes.Length == text.Length) return tokens;  // one byte per character
            int[] begins = tokens.Begins.ToArray(), ends = tokens.Ends.ToArray();
            int last = 0;
            for (int i = 0; i < ends.Length; ++i)
            {
                while (ends[i] > 0 && ends[i] < bytes.Length && Utf8.Continues(bytes[ends[i]]))
                    ++ends[i];
                last = Math.Max(last, ends[i]);
            }
            int[] units = Utf8.UnitOfByte(bytes, last);
            for (int i = 0; i < begins.Length; ++i)
            {
                if (begins[i] < 0) continue;
                begins[i] = units[begins[i]];
                ends[i] = units[ends[i]];
            }
            return new Tokens(tokens.Ids, begins, ends, Array.Empty<int>());
        }

        // The C API has 0 for the model's own limit.
        private static int Limit(int? maxLength) => maxLength == null ? 0
            : maxLength > 0 || maxLength == Unlimited ? maxLength.Value
            : throw new ArgumentOutOfRangeException(nameof(maxLength), maxLength,
                "The number must be 1 or more, Tokens.Unlimited, or null for the model's limit.");

        // The first call only counts the tokens.

        internal static Tokens Of(ModelHandle model, ReadOnlySpan<byte> text, int? maxLength)
        {
            int limit = Limit(maxLength);
            byte nothing = 0;
            long length = text.Length;
            int count = 0;
            fixed (byte* pinned = text)
            {
                byte* start = pinned == null ? &nothing : pinned;  // an empty text must not be NULL
                Native.cs_tokenize(model, start, length, limit, null, null, null, 0, &count);
                int[] ids = new int[count], begins = new int[count], ends = new int[count];
                fixed (int* id = ids, begin = begins, end = ends)
                    Native.cs_tokenize(model, start, length, limit, id, begin, end, count,
                        &count);
                if (count < ids.Length)  // the bytes changed since they were counted
                {
                    Array.Resize(ref ids, count);
                    Array.Resize(ref begins, count);
                    Array.Resize(ref ends, count);
                }
                return new Tokens(ids, begins, ends, Array.Empty<int>());
            }
        }

        internal static Tokens OfPair(ModelHandle model, string textA, string textB, int? maxLength)
        {
            int limit = Limit(maxLength);
            byte[] a = Utf8.Bytes(textA), b = Utf8.Bytes(textB);
            int count = 0;
            fixed (byte* startA = a, startB = b)
            {
                Native.cs_tokenize_pair(model, startA, a.Length - 1, startB, b.Length - 1,
                    limit, null, null, 0, &count);
                int[] ids = new int[count], types = new int[count];
                fixed (int* id = ids, type = types)
                    Native.cs_tokenize_pair(model, startA, a.Length - 1, startB, b.Length - 1,
                        limit, id, type, count, &count);
                return new Tokens(ids, Array.Empty<int>(), Array.Empty<int>(), types);
            }
        }
    }
}
