// Text on its way to and from the C API, which speaks UTF-8. A surrogate without its partner becomes U+FFFD on the way in.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Contrastive.Interop
{
    internal static unsafe class Utf8
    {
        /// <summary>Bytes that always suffice for one UTF-16 unit.</summary>
        internal const int MostBytesPerChar = 3;

        /// <summary>For paths, keys and names, which end at their NUL and so cannot hold one. null stays null: NULL.</summary>
        internal static byte[]? Terminated(string? text, string name)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException("The text holds U+0000, at which the C API would cut it.", name);
            byte[] bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
            Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
            return bytes;
        }

        /// <summary>The bytes of one text, for arguments that come with their length. Never null, so that "" is no NULL.</summary>
        internal static byte[] Bytes(string text)
        {
            byte[] bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
            Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
            return bytes;
        }

        internal static string Read(IntPtr text)
        {
            if (text == IntPtr.Zero) return "";
            byte* start = (byte*)text;
            int length = 0;
            while (start[length] != 0) ++length;
            return length == 0 ? "" : Encoding.UTF8.GetString(start, length);
        }

        /// <summary>Reads a text that the library handed over, and frees it.</summary>
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
            fixed (char* characters = text)
            {
                return text.Length == 0 ? 0 : Encoding.UTF8.GetBytes(characters, text.Length, destination, capacity);
            }
        }
    }

    /// <summary>Texts in one buffer: text i is Data[Offsets[i]] .. Data[Offsets[i + 1]].</summary>
    internal readonly struct PackedTexts
    {
        internal readonly byte[] Data;
        internal readonly int[] Offsets;

        internal PackedTexts(string[] texts, string name)
        {
            Offsets = new int[texts.Length + 1];
            long total = 0;
            for (int i = 0; i < texts.Length; ++i)
            {
                if (texts[i] == null) throw new ArgumentException("Text " + i + " is null.", name);
                total += Encoding.UTF8.GetByteCount(texts[i]);
                if (total > int.MaxValue)
                    throw new ContrastiveException((int)ErrorKind.Limit, "The texts of one call hold more than 2^31-1 bytes at text " + i + ".");
                Offsets[i + 1] = (int)total;
            }
            Data = new byte[total];
            for (int i = 0; i < texts.Length; ++i) Encoding.UTF8.GetBytes(texts[i], 0, texts[i].Length, Data, Offsets[i]);
        }
    }
}
