// The index of texts: search, growth, other threads, files.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class TextIndexTests : IDisposable
    {
        private static readonly string[] Texts = Support.Pairs.Select(pair => pair.B).ToArray();

        private readonly SentenceEncoder encoder_ = Support.Tiny();

        public void Dispose() => encoder_.Dispose();

        [Fact]
        public void FindsWhatSearchFinds()
        {
            var index = new TextIndex(encoder_);
            Assert.Empty(index.Search("the cat"));
            index.Add(Texts.Take(3));
            index.Add(Texts.Skip(3));
            index.Add(new string[0]);
            Assert.Equal(Texts.Length, index.Count);
            string[] queries = Support.Pairs.Select(pair => pair.A).ToArray();
            SearchHit[][] expected = Search.Nearest(encoder_.Encode(queries),
                encoder_.Encode(Texts), 3);
            TextHit[][] hits = index.Search(queries, 3);
            for (int i = 0; i < queries.Length; ++i)
            {
                Assert.Equal(expected[i].Select(hit => Texts[hit.Index]),
                    hits[i].Select(hit => hit.Text));
                foreach ((SearchHit one, TextHit other) in expected[i].Zip(hits[i]))
                    Assert.Equal(one.Score, other.Score, 1e-5);
            }
            Assert.Equal(Texts[4], index[index.Search(Texts[4], 1)[0].Index]);
            Assert.Equal(Texts.Length, index.Search("the cat", 100).Length);
            Assert.Throws<ArgumentOutOfRangeException>(() => index[Texts.Length]);
            Assert.Throws<ArgumentOutOfRangeException>(() => index.Search("the cat", 0));
        }

        [Fact]
        public void OptionsAreKeptForTextsAndQueries()
        {
            var index = new TextIndex(encoder_, new EncodeOptions { TruncateDimension = 8 },
                new EncodeOptions { TruncateDimension = 8, Prompt = "query: " });
            index.Add(new[] { "query: the cat", "a dog" });
            Assert.Equal(8, index.Dimension);
            Assert.Equal(1f, index.Search("the cat", 1)[0].Score, 1e-5f);
            Assert.Equal("queries", Assert.Throws<ArgumentException>(() =>
                new TextIndex(encoder_, new EncodeOptions { TruncateDimension = 8 })).ParamName);
        }

        [Fact]
        public void SearchesWhileTextsAreAdded()
        {
            var index = new TextIndex(encoder_);
            index.Add(new[] { "the cat sat" });
            Task adding = Task.Run(() =>
            {
                for (int i = 0; i < 200; ++i) index.Add(new[] { "a dog runs " + i });
            });
            while (!adding.IsCompleted)
            {
                TextHit hit = index.Search("the cat sat", 1)[0];
                Assert.Equal(("the cat sat", 0), (hit.Text, hit.Index));
            }
            adding.GetAwaiter().GetResult();
            Assert.Equal(201, index.Count);
        }

        [Fact]
        public void AFolderHoldsIt()
        {
            using var folder = new TemporaryFolder();
            string[] texts = Texts.Concat(new[] { "", "a\0b \"q\" \\ 🙂 \t\r\n\u0085\uFFFF",
                "lone \uD83D surrogate" }).ToArray();
            var index = new TextIndex(encoder_);
            index.Add(texts);
            index.Save(folder["ïndex"]);
            index.Save(folder["ïndex"]);  // replaces
            Assert.Equal(new[] { "index.json", "vectors.npy" }, Directory
                .GetFiles(folder["ïndex"]).Select(file => Path.GetFileName(file)).OrderBy(x => x));
            Assert.Single(Directory.GetDirectories(folder[""]));
            TextIndex again = TextIndex.Load(folder["ïndex"], encoder_);
            Assert.Equal(texts, Enumerable.Range(0, again.Count).Select(i => again[i]));
            Assert.Equal(index.Search("the cat", 5), again.Search("the cat", 5));
            again.Add(new[] { "one more" });
            Assert.Equal(texts.Length + 1, again.Count);
            new TextIndex(encoder_).Save(folder["empty"]);
            Assert.Equal(0, TextIndex.Load(folder["empty"], encoder_).Count);
        }

        [Fact]
        public void AFolderThatDoesNotFitIsRefused()
        {
            using var folder = new TemporaryFolder();
            var index = new TextIndex(encoder_);
            index.Add(Texts);
            index.Save(folder["index"]);
            using SentenceEncoder other = SentenceEncoder.Load(Support.Fixture("models/roberta_hf"),
                Config.Empty.With("pooling", "mean"));
            Assert.Equal(ErrorKind.Mismatch, Assert.Throws<ContrastiveException>(() =>
                TextIndex.Load(folder["index"], other)).Kind);
            Assert.Equal(ErrorKind.NotFound, Assert.Throws<ContrastiveException>(() =>
                TextIndex.Load(folder["none"], encoder_)).Kind);
            encoder_.Encode(Texts.Skip(1)).Save(folder["index/vectors.npy"]);
            Assert.Equal(ErrorKind.Corrupt, Assert.Throws<ContrastiveException>(() =>
                TextIndex.Load(folder["index"], encoder_)).Kind);
            File.WriteAllText(folder["index/index.json"], "{\"metric\": \"dot\", \"texts\": []}");
            Assert.Equal(ErrorKind.Unsupported, Assert.Throws<ContrastiveException>(() =>
                TextIndex.Load(folder["index"], encoder_)).Kind);
            File.WriteAllText(folder["index/index.json"], "{\"texts\": [");
            Assert.Equal(ErrorKind.Format, Assert.Throws<ContrastiveException>(() =>
                TextIndex.Load(folder["index"], encoder_)).Kind);
            File.WriteAllText(folder["mine.txt"], "not an index");
            Assert.Throws<IOException>(() => index.Save(folder.Path));
        }
    }
}
