// Text that breaks bindings: each gives what the C API gives for the same bytes.
using System;
using System.Linq;
using System.Text;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class TextTests : IDisposable
    {
        private readonly SentenceEncoder encoder_ = Support.Tiny();

        public void Dispose() => encoder_.Dispose();

        private float[] EncodeBytes(params byte[] utf8)
        {
            var embedding = new float[encoder_.Dimension];
            encoder_.EncodeUtf8(utf8, new[] { 0, utf8.Length }, embedding);
            return embedding;
        }

        private void SameAsBytes(string text)
        {
            float[] expected = EncodeBytes(Encoding.UTF8.GetBytes(text));
            Assert.Equal(expected, encoder_.Encode(text));
            Support.Near(expected, encoder_.Encode(new[] { "A dog", text, "" })[1].Span, 1e-6);
        }

        [Fact]
        public void TextOfAllPlanesCrosses()
        {
            foreach (string text in new[] { "café", "日本語", "🙂 😀 smile", "👩‍👩‍👧‍👦", "\uFEFFmark",
                "ﷺ", "é vs e\u0301" })
                SameAsBytes(text);
            // The first text is packed on the stack, the others on the heap.
            foreach (string text in new[] { new string('x', 341), new string('x', 342),
                "🙂" + new string('é', 600) })
                SameAsBytes(text);
        }

        [Fact]
        public void EmojiAreCharactersAndNotTwoSurrogates()
        {
            Tokens tokens = encoder_.Tokenize("a 🙂 b");
            Assert.Equal(5, tokens.Ids.Length);
            Tokens bytes = encoder_.TokenizeUtf8(Encoding.UTF8.GetBytes("a 🙂 b"));
            Assert.Equal(tokens.Ids.ToArray(), bytes.Ids.ToArray());
            Assert.Equal(new[] { -1, 0, 2, 7, -1 }, bytes.Begins.ToArray());
            Assert.Equal(new[] { -1, 1, 6, 8, -1 }, bytes.Ends.ToArray());
            Assert.Equal(new[] { -1, 0, 2, 5, -1 }, tokens.Begins.ToArray());
            Assert.Equal(new[] { -1, 1, 4, 6, -1 }, tokens.Ends.ToArray());
        }

        [Fact]
        public void PlacesAreThoseOfTheString()
        {
            const string Text = "😀 the 今天 cafe\u0301 cat \uD83D dog";
            Tokens tokens = encoder_.Tokenize(Text);
            string[] parts = Enumerable.Range(0, tokens.Ids.Length)
                .Where(i => tokens.Begins.Span[i] >= 0).Select(i => Text.Substring(
                    tokens.Begins.Span[i], tokens.Ends.Span[i] - tokens.Begins.Span[i])).ToArray();
            foreach (string part in new[] { "😀", "the", "今", "天", "cat", "dog" })
                Assert.True(parts.Contains(part),
                    "'" + part + "' is in none of '" + string.Join("', '", parts) + "'");
            // A byte-level vocabulary cuts characters into several tokens, each of which spans the
            // whole one.
            using SentenceEncoder byteLevel = SentenceEncoder.Load(
                Support.Fixture("models/roberta_hf"), Config.Empty.With("pooling", "mean"));
            Tokens pieces = byteLevel.Tokenize("x😀天y");
            for (int i = 1; i < pieces.Ids.Length - 1; ++i)
            {
                int begin = pieces.Begins.Span[i], end = pieces.Ends.Span[i];
                Assert.True(begin < end && "x😀天y".Substring(begin, end - begin)
                    .Any(unit => unit != '\uFFFD'), begin + " to " + end);
                Assert.False(char.IsLowSurrogate("x😀天y"[begin]),
                    "a token begins inside of the emoji");
                Assert.False(char.IsHighSurrogate("x😀天y"[end - 1]),
                    "a token ends inside of the emoji");
            }
            Assert.Equal(5, pieces.Ends.ToArray().Max());
        }

        [Fact]
        public void AStrictModelRefusesUnpairedSurrogates()
        {
            using SentenceEncoder strict = SentenceEncoder.Load(Support.Fixture("models/bert_st"),
                Config.Empty.With("invalid_utf8", "error"));
            Assert.Equal(encoder_.Encode("the 🙂 \uFFFD"), strict.Encode("the 🙂 \uFFFD"));
            foreach (Action call in new Action[]
            {
                () => strict.Encode("the \uD83Dcat"), () => strict.Encode(new[] { "a", "\uDE42" }),
                () => strict.Tokenize("\uDE42\uD83D"),
                () => strict.Encode(new string('x', 600) + "\uD83D")
            })
            {
                ContrastiveException refused = Assert.Throws<ContrastiveException>(call);
                Assert.Equal(ErrorKind.Format, refused.Kind);
                Assert.Contains("is not valid UTF-8 at byte", refused.Message);
            }
            Assert.Contains("at index 1",
                Assert.Throws<ArgumentException>(() => SentenceEncoder.Load("a\uD83Db")).Message);
        }

        [Fact]
        public void UnpairedSurrogatesReadAsTheReplacementCharacter()
        {
            foreach (string lone in new[] { "\uD83D", "\uDE42", "\uDE42\uD83D" })
            {
                string replaced = new string('\uFFFD', lone.Length);
                Assert.Equal(encoder_.Encode("a " + replaced + " b"),
                    encoder_.Encode("a " + lone + " b"));
                Assert.Equal(encoder_.Tokenize(replaced).Ids.ToArray(),
                    encoder_.Tokenize(lone).Ids.ToArray());
            }
        }

        [Fact]
        public void NulIsACharacter()
        {
            SameAsBytes("a\0b");
            SameAsBytes("\0");
            Tokens tokens = encoder_.Tokenize("a dog\0 cat");
            Assert.Equal(10, tokens.Ends.ToArray().Max());
            using var data = new Dataset();
            data.Add("a\0b", "\0c");
            Assert.Equal(1L, data.Count);
        }

        [Fact]
        public void InvalidUtf8ReadsAsTheReplacementCharacter()
        {
            float[] expected = encoder_.Encode("a \uFFFD b");
            Assert.Equal(expected, EncodeBytes((byte)'a', (byte)' ', 0xFF, (byte)' ', (byte)'b'));
            // An emoji without its last byte.
            Assert.Equal(expected,
                EncodeBytes((byte)'a', (byte)' ', 0xF0, 0x9F, 0x99, (byte)' ', (byte)'b'));
            Assert.Equal(encoder_.Encode("a \uFFFD\uFFFD b"),
                EncodeBytes((byte)'a', (byte)' ', 0xC0, 0x80, (byte)' ',
                (byte)'b'));  // modified UTF-8's NUL
        }

        [Fact]
        public void EmptyTextsAreTexts()
        {
            SameAsBytes("");
            SameAsBytes(" \t\n");
            Assert.Equal(2, encoder_.Tokenize("").Ids.Length);
            Assert.Equal(new float[0], encoder_.Encode(new string[0]).Values.ToArray());
            encoder_.Encode(ReadOnlySpan<string>.Empty, Span<float>.Empty);
            encoder_.EncodeUtf8(default, default, default);
        }

        [Fact]
        public void TenMegabytesAreCutAndCounted()
        {
            string text = string.Concat(
                Enumerable.Repeat("the cat sat on the mat 🙂 ", 10 * 1024 * 1024 / 28));
            Embeddings embeddings = encoder_.Encode(new[] { text, "A dog" });
            Assert.True(embeddings.TokenCounts.Span[0] > 1000000,
                "tokens: " + embeddings.TokenCounts.Span[0]);
            Support.Near(encoder_.Encode("A dog"), embeddings[1].Span, 1e-6);
            Support.Near(encoder_.Encode(text.Substring(0, 4096)), embeddings[0].Span, 1e-6);
            Assert.Equal(encoder_.MaxLength, encoder_.Tokenize(text).Ids.Length);
        }

        [Fact]
        public void ManyThreadsReadTheirOwnErrors()
        {
            var failures = new string[4];
            var threads = Enumerable.Range(0, failures.Length)
                .Select(thread => new System.Threading.Thread(() =>
            {
                for (int i = 0; i < 500; ++i)
                {
                    string key = "no-such-key-" + thread + "-" + i;
                    try
                    {
                        SentenceEncoder.Load(Support.Fixture("models/bert_st"),
                            Config.Empty.With(key, 1)).Dispose();
                        failures[thread] = key + " was accepted";
                    }
                    catch (ContrastiveException e) when (e.Message.Contains("'" + key + "'")) { }
                    catch (Exception e)
                    {
                        failures[thread] = key + ": " + e.Message;
                    }
                }
            })).ToArray();
            foreach (var thread in threads) thread.Start();
            foreach (var thread in threads) thread.Join();
            Assert.Equal(new string[4], failures);
        }
    }
}
