// Converts strings to and from UTF-8 for the C API. An unpaired surrogate becomes a byte that is
// not valid UTF-8, so that the model's key "invalid_utf8" decides: U+FFFD, or an error.
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Contrastive.Interop
{
    internal static unsafe class Utf8
    {
        // The maximum number of bytes for one UTF-16 unit.
        internal const int MostBytesPerChar = 3;

        private const byte NoUtf8 = 0xFF;
        private static readonly UTF8Encoding Strict =
            new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

        // Encodes paths, keys and names, which end at a NUL and so cannot contain one.
        // Null gives null, which is passed as NULL.
        internal static byte[]? Terminated(string? text, string name)
        {
            if (text == null) return null;
            if (text.AsSpan().IndexOf((char)0) >= 0)
                throw new ArgumentException(
                    "The text holds U+0000, at which the C API would cut it.", name);
            try
            {
                byte[] bytes = new byte[Strict.GetByteCount(text) + 1];
                Strict.GetBytes(text, 0, text.Length, bytes, 0);
                return bytes;
            }
            catch (EncoderFallbackException e)
            {
                throw new ArgumentException("The text holds a surrogate without its partner, " +
                    "at index " + e.Index + ".", name, e);
            }
        }

        // The bytes of one text and a NUL, for arguments with a length. Never empty, so
        // that "" is not passed as NULL.
        internal static byte[] Bytes(string text)
        {
            byte[] bytes = new byte[Count(text) + 1];
            Write(text, bytes, 0);
            return bytes;
        }

        internal static int Count(string text)
        {
            try
            {
                return Strict.GetByteCount(text);
            }
            catch (EncoderFallbackException)
            {
                return Torn(text).Length;
            }
        }

        internal static void Write(string text, byte[] destination, int at)
        {
            try
            {
                Strict.GetBytes(text, 0, text.Length, destination, at);
            }
            catch (EncoderFallbackException)
            {
                byte[] bytes = Torn(text);
                Buffer.BlockCopy(bytes, 0, destination, at, bytes.Length);
            }
        }

        // The bytes of a text with an unpaired surrogate.
        private static byte[] Torn(string text)
        {
            var bytes = new MemoryStream(text.Length + 16);
            for (int begin = 0, i = 0; i <= text.Length; ++i)
            {
                if (i < text.Length && !Alone(text, i)) continue;
                byte[] whole = Strict.GetBytes(text.Substring(begin, i - begin));
                bytes.Write(whole, 0, whole.Length);
                if (i < text.Length) bytes.WriteByte(NoUtf8);
                begin = i + 1;
            }
            return bytes.ToArray();
        }

        private static bool Alone(string text, int i)
        {
            if (char.IsHighSurrogate(text[i]))
                return i + 1 == text.Length || !char.IsLowSurrogate(text[i + 1]);
            return char.IsLowSurrogate(text[i]) && (i == 0 || !char.IsHighSurrogate(text[i - 1]));
        }

        // Whether a byte continues a character.
        internal static bool Continues(byte value) => (value & 0xC0) == 0x80;

        // Maps each byte up to last to the UTF-16 unit at which its
        // character begins.
        internal static int[] UnitOfByte(ReadOnlySpan<byte> bytes, int last)
        {
            var units = new int[last + 1];
            int at = 0, next = 0;
            for (int i = 0; i <= last; ++i)
            {
                if (i == bytes.Length) at = next;
                else if (!Continues(bytes[i]))
                {
                    at = next;
                    next += bytes[i] >= 0xF0 && bytes[i] != NoUtf8 ? 2 : 1;
                }
                units[i] = at;
            }
            return units;
        }

        internal static string Read(IntPtr text)
        {
            if (text == IntPtr.Zero) return "";
            byte* start = (byte*)text;
            int length = 0;
            while (start[length] != 0) ++length;
            return length == 0 ? "" : Encoding.UTF8.GetString(start, length);
        }

        // Reads a string that the library returned, and frees it.
        internal static string Take(IntPtr text)
        {
            try
            {
                return Read(text);
            }
            finally
            {
                Native.cs_text_release(text);
            }
        }

        internal static int Encode(string text, byte* destination, int capacity)
        {
            try
            {
                fixed (char* characters = text)
                    return text.Length == 0 ? 0
                        : Strict.GetBytes(characters, text.Length, destination, capacity);
            }
            catch (EncoderFallbackException)
            {
                byte[] bytes = Torn(text);
                Marshal.Copy(bytes, 0, (IntPtr)destination, bytes.Length);
                return bytes.Length;
            }
        }
    }

    // Texts in one buffer: text i is Data[Offsets[i]] .. Data[Offsets[i + 1]].
    internal readonly struct PackedTexts
    {
        internal readonly byte[] Data;
        internal readonly int[] Offsets;

        internal PackedTexts(string[] texts, string name)
        {
            // Copied because it is read twice, and another thread may change the caller's array.
            texts = (string[])texts.Clone();
            Offsets = new int[texts.Length + 1];
            long total = 0;
            for (int i = 0; i < texts.Length; ++i)
            {
                if (texts[i] == null) throw new ArgumentException("Text " + i + " is null.", name);
                total += Utf8.Count(texts[i]);
                if (total > int.MaxValue)
                    throw new ContrastiveException((int)ErrorKind.Limit,
                        "The texts of one call hold more than 2^31-1 bytes at text " + i + ".");
                Offsets[i + 1] = (int)total;
            }
            Data = new byte[total];
            for (int i = 0; i < texts.Length; ++i) Utf8.Write(texts[i], Data, Offsets[i]);
        }
    }
}
