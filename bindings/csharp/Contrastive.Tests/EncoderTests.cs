// Loading, embedding, tokenizing and saving.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Xml.Linq;
using Contrastive.Interop;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class EncoderTests : IDisposable
    {
        private readonly SentenceEncoder encoder_ = Support.Tiny();

        public void Dispose() => encoder_.Dispose();

        private static XElement Golden(string key) =>
            Json.Parse(File.ReadAllText(Support.Fixture("models/bert_st.golden.json")))
            .Element(key)!;

        private static float[] Numbers(XElement list) =>
            list.Elements().Select(item => (float)item).ToArray();

        [Fact]
        public void EmbedsAsSentenceTransformersDoes()
        {
            string[] texts = Golden("texts").Elements().Select(item => item.Value).ToArray();
            Embeddings embeddings = encoder_.Encode(texts);
            Assert.Equal(texts.Length, embeddings.Count);
            Assert.Equal(encoder_.Dimension, embeddings.Dimension);
            XElement[] rows = Golden("sentence_transformers").Elements().ToArray();
            for (int i = 0; i < rows.Length; ++i)
                Support.Near(Numbers(rows[i]), embeddings[i].Span, 1e-5);
        }

        [Fact]
        public void EveryOverloadGivesTheSameFloats()
        {
            string[] texts = Support.Pairs.Select(pair => pair.A).ToArray();
            int dimension = encoder_.Dimension;
            Embeddings all = encoder_.Encode(texts);
            Assert.Equal(all.Values.ToArray(), encoder_.Encode(texts.ToList()).Values.ToArray());
            var inPlace = new float[texts.Length * dimension];
            var counts = new int[texts.Length];
            encoder_.Encode(texts.AsSpan(), inPlace, counts);
            Assert.Equal(all.Values.ToArray(), inPlace);
            Assert.Equal(all.TokenCounts.ToArray(), counts);
            for (int i = 0; i < texts.Length; ++i)
            {
                // A text embedded alone is a batch of another shape.
                Support.Near(all[i].Span, encoder_.Encode(texts[i]), 1e-6);
                Assert.Equal(encoder_.Tokenize(texts[i]).Ids.Length, counts[i]);
            }
            Assert.Equal(texts.Length, all.Count());
            Assert.Empty(encoder_.Encode(new string[0]));
        }

        [Fact]
        public void TokenizesAsTheReferenceDoes()
        {
            string[] texts = Golden("texts").Elements().Select(item => item.Value).ToArray();
            XElement[] ids = Golden("ids").Elements().ToArray();
            for (int i = 0; i < texts.Length; ++i)
                Assert.Equal(ids[i].Elements().Select(id => (int)id).ToArray(),
                    encoder_.Tokenize(texts[i]).Ids.ToArray());
            Tokens tokens = encoder_.Tokenize("A dog");
            Assert.Equal(new[] { -1, 0, 2, -1 }, tokens.Begins.ToArray());
            Assert.Equal(new[] { -1, 1, 5, -1 }, tokens.Ends.ToArray());
            Tokens pair = encoder_.TokenizePair("the cat sat on the mat.", "A dog");
            XElement expected = Golden("pairs").Elements().First();
            Assert.Equal(expected.Element("ids")!.Elements().Select(id => (int)id).ToArray(),
                pair.Ids.ToArray());
            Assert.Equal(expected.Element("type_ids")!.Elements().Select(id => (int)id).ToArray(),
                pair.TypeIds.ToArray());
            Assert.Equal("[CLS]", encoder_.Token(tokens.Ids.Span[0]));
            Assert.Equal("", encoder_.Token(1 << 30));
            Assert.Equal(ErrorKind.Argument,
                Assert.Throws<ContrastiveException>(() => encoder_.Tokenize("A dog", 1)).Kind);
        }

        [Fact]
        public void OptionsAreTheModelsUnlessSaid()
        {
            float[] plain = encoder_.Encode("the cat sat"),
                raw = encoder_.Encode("the cat sat", new EncodeOptions { Normalize = false });
            Assert.InRange(Norm(plain), 0.999, 1.001);
            Assert.NotEqual(1.0, Math.Round(Norm(raw), 3));
            Assert.Equal(8,
                encoder_.Encode("the cat sat", new EncodeOptions { TruncateDimension = 8 }).Length);
            Assert.Equal(8, encoder_.Encode(new[] { "a", "b" },
                new EncodeOptions { TruncateDimension = 8 }).Dimension);
            Assert.Equal(encoder_.Encode("query: the cat"),
                encoder_.Encode("the cat", new EncodeOptions { Prompt = "query: " }));
            Assert.False(plain.SequenceEqual(
                encoder_.Encode("the cat sat", new EncodeOptions { Pooling = "cls" })));
            Assert.Equal(new[] { 4 }, encoder_.Encode(new[] { "A dog" },
                new EncodeOptions { MaxLength = 3, BatchTokens = 8 }).TokenCounts.ToArray());
            ContrastiveException failure = Assert.Throws<ContrastiveException>(() =>
                encoder_.Encode("a", new EncodeOptions { Pooling = "meen" }));
            Assert.Equal(ErrorKind.Argument, failure.Kind);
            Assert.Contains("mean", failure.Message);
        }

        [Fact]
        public void SavesWhatItLoads()
        {
            using var folder = new TemporaryFolder();
            encoder_.Save(folder["modèle 🙂"]);
            using SentenceEncoder copy = SentenceEncoder.Load(folder["modèle 🙂"]),
                snapshot = encoder_.Snapshot();
            Assert.Equal(encoder_.Encode("A dog"), copy.Encode("A dog"));
            Assert.Equal(encoder_.Encode("A dog"), snapshot.Encode("A dog"));
            ModelInfo info = copy.Info();
            Assert.Equal("bert", info.Family);
            Assert.Equal(new[] { "mean" }, info.Pooling);
            Assert.Equal(copy.Dimension, info.Dimension);
            Assert.True(info.DefaultPromptName == null);
            Assert.Equal(64, info.Fingerprint.Length);
            Assert.Contains("\"vocab_size\"", info.Json);
            Assert.True(copy.MaxLength > 0);
        }

        [Fact]
        public void RefusesWithWhatAndWhere()
        {
            ContrastiveException missing =
                Assert.Throws<ContrastiveException>(() => SentenceEncoder.Load("/no/such/mødel"));
            Assert.Equal(ErrorKind.NotFound, missing.Kind);
            Assert.Contains("/no/such/mødel", missing.Message);
            Config misspelt = Config.Empty.With("devise", "cpu");
            string tiny = Support.Fixture("models/bert_st");
            Assert.Contains("device", Assert.Throws<ContrastiveException>(() =>
                SentenceEncoder.Load(tiny, misspelt)).Message);
            Assert.Equal("destination", Assert.Throws<ArgumentException>(
                () => encoder_.Encode("a", new float[3])).ParamName);
            Assert.Equal("maxLength", Assert.Throws<ArgumentOutOfRangeException>(
                () => encoder_.Tokenize("a", 0)).ParamName);
            Assert.Throws<ArgumentOutOfRangeException>(() =>
                new EncodeOptions { TruncateDimension = 0 });
            Assert.Throws<ArgumentNullException>(() => SentenceEncoder.Load(null!));
            Assert.Throws<ArgumentNullException>(() => encoder_.Encode((string)null!));
            Assert.Contains("Text 1", Assert.Throws<ArgumentException>(() =>
                encoder_.Encode(new[] { "a", null! })).Message);
            Assert.Throws<ArgumentException>(() => SentenceEncoder.Load("models\0hidden"));
            Assert.Throws<ArgumentException>(() =>
                encoder_.EncodeUtf8(new byte[2], new[] { 0, 3 }, new float[encoder_.Dimension]));
            Assert.Throws<ArgumentException>(() => encoder_.EncodeUtf8(new byte[2],
                new[] { 0, 1, 2 }, new float[2 * encoder_.Dimension], new int[1]));
        }

        [TrainingFact]
        public void ModelsCanBeginFromNothing()
        {
            using var folder = new TemporaryFolder();
            File.WriteAllLines(folder["texts.txt"],
                Enumerable.Repeat("the cat sat on the old house\na dog runs with two birds", 50));
            Vocabulary.Train(folder["texts.txt"], folder["vocabulary"]);
            Config recipe = Config.Parse("{\"layers\": 1, \"hidden_size\": 16, " +
                "\"attention_heads\": 2, \"pooling\": \"mean\"}")
                .With("tokenizer", folder["vocabulary"]);
            using SentenceEncoder first = SentenceEncoder.Create(recipe),
                again = SentenceEncoder.Create(recipe),
                other = SentenceEncoder.Create(recipe.With("seed", 77));
            Assert.Equal(16, first.Dimension);
            Assert.Equal(first.Encode("the cat"), again.Encode("the cat"));
            Assert.False(first.Encode("the cat").SequenceEqual(other.Encode("the cat")));
            Assert.Equal(ErrorKind.Argument, Assert.Throws<ContrastiveException>(() =>
                SentenceEncoder.Create(Config.Parse("{\"layers\": 1}"))).Kind);
            Assert.Equal(ErrorKind.NotFound, Assert.Throws<ContrastiveException>(() =>
                Vocabulary.Train(folder["none"], folder["vocabulary"])).Kind);
            Assert.Throws<OperationCanceledException>(() => Vocabulary.Train(folder["texts.txt"],
                folder["v"], cancellationToken: new CancellationToken(true)));
        }

        [Fact]
        public void HardNegativesAreMined()
        {
            using var folder = new TemporaryFolder();
            using Dataset pairs = Support.PairData(), corpus = new Dataset();
            foreach (string text in new[] { "a cat runs", "the birds sit", "red fish" })
                corpus.Add(text);
            Config config = Config.Parse("{\"relative_margin\": -1e9, \"num_negatives\": 2, " +
                "\"output_format\": \"n-tuple\"}");
            Report report = encoder_.Mine(pairs, corpus, folder["mined.jsonl"], config);
            Assert.Equal(8, report.Number("rows"));
            Assert.Equal(11, report.Number("documents"));
            Assert.Equal(8, File.ReadAllLines(folder["mined.jsonl"]).Length);
            using Dataset mined = Dataset.Open(folder["mined.jsonl"]);
            Assert.Equal(8, mined.Count);
            Assert.Equal(16, encoder_.Mine(pairs, null, folder["guided.jsonl"], config, encoder_)
                .Number("negatives"));
            Assert.Contains("num_negatives",
                Assert.Throws<ContrastiveException>(() => encoder_.Mine(pairs, corpus,
                    folder["m.jsonl"], Config.Empty.With("num_negativs", 1))).Message);
            Assert.Throws<OperationCanceledException>(() => encoder_.Mine(pairs, corpus,
                folder["m.jsonl"], cancellationToken: new CancellationToken(true)));
            Assert.False(File.Exists(folder["m.jsonl"]));
        }

        [TrainingFact]
        public void AModelIsAdaptedToPairs()
        {
            string[] words = ("the cat dog bird house mat two old new fly run open cafe water " +
                "tree green red blue small man").Split(' ');
            using var folder = new TemporaryFolder();
            using Dataset pairs = new Dataset(), corpus = new Dataset();
            corpus.Add("one man walks");
            long draw = 1;
            for (int i = 0; i < 160; ++i)
            {
                string[] w = new string[5];
                for (int j = 0; j < 5; ++j) w[j] = words[(draw = draw * 48271 % 2147483647) % 20];
                pairs.Add(string.Join(" ", w[0], w[1], w[2], w[3]),
                    string.Join(" ", w[2], w[0], w[3], w[4]));
            }
            using SentenceEncoder fresh = SentenceEncoder.Create(Config.Empty.With("tokenizer",
                Support.Fixture("models/bert_st")).With("layers", 1).With("hidden_size", 32)
                .With("attention_heads", 2).With("max_length", 32).With("pooling", "mean"));
            Config quick = Config.Parse(
                "{\"lr\": 0.002, \"max_steps\": 40, \"test_share\": 0.3, \"near_duplicate\": 1, " +
                "\"mining.relative_margin\": -1e9, \"resamples\": 100}");
            Report report = fresh.Adapt(pairs, corpus, folder["adapted"], quick);
            Assert.True(report.Flag("shipped"), report.ToJson());
            Assert.Contains("ndcg@10 went from", report.Text("reason") ?? "");
            Assert.Throws<KeyNotFoundException>(() => report.Flag("shiped"));
            Assert.Throws<KeyNotFoundException>(() => { report.Text("shipped"); });
            Assert.True(report.Number("figures.ndcg@10.gain") > 0);
            SentenceEncoder.Load(folder["adapted"]).Dispose();
            Assert.False(fresh.Adapt(pairs, null, folder["none"], quick.With("min_gain", 1))
                .Flag("shipped"));
            Assert.Contains("a text without a second one", Assert.Throws<ContrastiveException>(
                () => fresh.Adapt(corpus, null, folder["none"])).Message);
            Assert.Throws<OperationCanceledException>(() =>
                fresh.Adapt(pairs, null, folder["none"],
                    cancellationToken: new CancellationToken(true)));
            Assert.False(Directory.Exists(folder["none"]));
        }

        [Fact]
        public void ACancelledTokenStopsACall()
        {
            using var source = new CancellationTokenSource();
            string[] texts = Enumerable.Range(0, 40000)
                .Select(i => "the cat sat on the mat and saw bird " + i).ToArray();
            Assert.Equal(encoder_.Encode("A dog"), encoder_.Encode("A dog", null, source.Token));
            source.CancelAfter(20);
            var failure = Assert.Throws<OperationCanceledException>(() =>
                encoder_.Encode(texts, new EncodeOptions { BatchTokens = 256 }, source.Token));
            Assert.Equal(source.Token, failure.CancellationToken);
            Assert.Throws<OperationCanceledException>(() =>
                encoder_.Encode("A dog", null, source.Token));
        }

        private static double Norm(float[] vector) =>
            Math.Sqrt(vector.Sum(value => (double)value * value));
    }
}
