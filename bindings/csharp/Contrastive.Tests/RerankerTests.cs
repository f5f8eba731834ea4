// Rerankers: scores, orders, labels, saving, what is refused.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Xml.Linq;
using Contrastive.Interop;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class RerankerTests
    {
        private static Reranker Fixture(string name) =>
            Reranker.Load(Support.Fixture("rerankers/" + name));

        [Fact]
        public void ScoresAsSentenceTransformersDoes()
        {
            foreach (string name in new[] { "bert", "bert_labels", "roberta" })
            {
                XElement golden = Json.Parse(
                    File.ReadAllText(Support.Fixture("rerankers/" + name + "/golden.json")));
                var pairs = golden.Element("pairs")!.Elements()
                    .Select(pair => (pair.Elements().First().Value, pair.Elements().Last().Value));
                float[] expected = golden.Element("scores")!.Elements()
                    .SelectMany(row => row.Elements()).Select(number => (float)number).ToArray();
                using Reranker reranker = Fixture(name);
                Assert.Equal(golden.Element("labels")!.Elements().Count(), reranker.LabelCount);
                Support.Near(expected, reranker.Score(pairs), 1e-5);
            }
        }

        [Fact]
        public void TheBestDocumentComesFirst()
        {
            using Reranker reranker = Fixture("bert"), several = Fixture("bert_labels");
            string[] documents = { "a hare ran!", "trees", "", "is 7 odd?" };
            RankedDocument[] ranked = reranker.Rank("no one here", documents);
            float[] scores = reranker.Score("no one here", documents);
            Assert.Equal(scores.OrderByDescending(score => score).ToArray(),
                ranked.Select(one => one.Score).ToArray());
            Assert.Equal(ranked,
                reranker.RankAsync("no one here", documents).GetAwaiter().GetResult());
            foreach (RankedDocument one in ranked) Assert.Equal(scores[one.Index], one.Score);
            Assert.Empty(reranker.Rank("no one", new string[0]));
            Assert.Throws<InvalidOperationException>(() => several.Rank("a", new[] { "b" }));
            Assert.Throws<ArgumentNullException>(() => reranker.Score(null!, documents));
            Assert.Throws<ArgumentException>(() => reranker.Score("a", new string[] { null! }));
            var failure = Assert.Throws<ContrastiveException>(
                () => reranker.Score("a", documents, new RerankOptions { Activation = "sigmiod" }));
            Assert.Equal(ErrorKind.Argument, failure.Kind);
            Assert.Throws<OperationCanceledException>(() =>
                reranker.Score("a", documents, null, new CancellationToken(true)));
        }

        [Fact]
        public void ItIsEvaluated()
        {
            string lists = Path.GetTempFileName();
            try
            {
                File.WriteAllText(lists, "q\tright\twrong\nr\twrong\tright\n");
                using Reranker reranker = Fixture("bert");
                Config keys = Config.Empty.With("data", lists);
                Assert.Equal(2.0, reranker.Evaluate("reranking", keys).Number("queries"));
                var failure = Assert.Throws<ContrastiveException>(() =>
                    reranker.Evaluate("geometry", keys));
                Assert.Equal(ErrorKind.Argument, failure.Kind);
            }
            finally
            {
                File.Delete(lists);
            }
        }

        [Fact]
        public void ItIsSavedLoadedAndDisposedOf()
        {
            string folder = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
            try
            {
                Reranker reranker = Fixture("roberta");
                reranker.Save(folder);
                var logits = new RerankOptions { Activation = "identity", Prompt = "",
                    MaxLength = 40, BatchTokens = 16 };
                using (Reranker again = Reranker.Load(folder))
                {
                    Assert.Equal(48, again.MaxLength);
                    Assert.Equal(new[] { "LABEL_0" }, again.Info().Labels);
                    Assert.Equal(reranker.Score("no one", new[] { "a stone" }, logits),
                        again.Score("no one", new[] { "a stone" }, logits));
                }
                reranker.Dispose();
                Assert.Throws<ObjectDisposedException>(() => reranker.Score("a", new[] { "b" }));
            }
            finally
            {
                if (Directory.Exists(folder)) Directory.Delete(folder, true);
            }
            Assert.Equal(ErrorKind.Mismatch, Assert.Throws<ContrastiveException>(() =>
                Reranker.Load(Support.Fixture("families/bert"))).Kind);
            Assert.True(Reranker.Detect(Support.Fixture("rerankers/bert")));
            Assert.False(Reranker.Detect(Support.Fixture("models/bert_st")));
        }

        private const string Triplets =
            "{\"anchor\": \"a cat runs\", \"positive\": \"the cat ran\", " +
            "\"negative\": \"red fish\"}\n" +
            "{\"anchor\": \"two birds\", \"positive\": \"birds in the air\", " +
            "\"negative\": \"a house\"}\n" +
            "{\"anchor\": \"a dog\", \"positive\": \"the old dog\", \"negative\": \"the sun\"}\n";

        [TrainingFact]
        public void ItTrainsAndGuidesMining()
        {
            string folder = Directory.CreateDirectory(
                Path.Combine(Path.GetTempPath(), Path.GetRandomFileName())).FullName;
            try
            {
                string rows = Path.Combine(folder, "triplets.jsonl"),
                    run = Path.Combine(folder, "run");
                File.WriteAllText(rows, Triplets);
                Config keys = Config.Empty.With("method", "reranker").With("reranker.loss",
                    "listwise").With("batch_size", 2).With("max_steps", 4).With("lr", 0.01);
                using Reranker start = Fixture("bert"), labels = Fixture("bert_labels");
                using Dataset data = Dataset.Open(rows);
                using Trainer trainer = Trainer.StartReranker(start, data, keys);
                Assert.True(trainer.Step() && trainer.Step());
                trainer.Save(run);
                trainer.Run();
                using Trainer resumed = Trainer.ResumeReranker(run, start, data);
                resumed.Run();
                using Reranker whole = trainer.Reranker(), other = resumed.BestReranker();
                string[] documents = { "the cat ran" };
                Assert.Equal(whole.Score("a cat runs", documents),
                    other.Score("a cat runs", documents));
                Assert.NotEqual(start.Score("a cat runs", documents),
                    other.Score("a cat runs", documents));
                Assert.Equal(ErrorKind.State,
                    Assert.Throws<ContrastiveException>(() => trainer.Model()).Kind);
                Assert.Throws<ArgumentNullException>(() =>
                    Trainer.StartReranker(null!, data, keys));
                Assert.Throws<ArgumentNullException>(() =>
                    Trainer.ResumeReranker(run, null!, data));

                using SentenceEncoder encoder =
                    SentenceEncoder.Load(Support.Fixture("models/bert_st"));
                Config mining = Config.Empty.With("relative_margin", -1e9).With("num_negatives", 1);
                Report report = encoder.MineReranked(data, null,
                    Path.Combine(folder, "mined.jsonl"), start, mining);
                Assert.Equal(3.0, report.Number("negatives"));
                Assert.Equal(ErrorKind.Argument,
                    Assert.Throws<ContrastiveException>(() => encoder.MineReranked(data, null,
                        Path.Combine(folder, "none.jsonl"), labels)).Kind);
                Assert.Throws<ArgumentNullException>(() =>
                    encoder.MineReranked(data, null, "none.jsonl", null!));
            }
            finally
            {
                Directory.Delete(folder, true);
            }
        }
    }
}
