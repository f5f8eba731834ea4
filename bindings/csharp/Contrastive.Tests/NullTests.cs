// Arguments that must not be null.
using System;
using System.Collections.Generic;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class NullTests
    {
        [TrainingFact]
        public void EveryArgumentThatMustNotBeNullIsNamed()
        {
            var some = new Embeddings(new float[] { 1, 2 }, 2);
            using SentenceEncoder encoder = Support.Tiny();
            using Dataset data = Support.PairData();
            using var trainer = new Trainer(encoder, null, Support.Training);
            var calls = new List<(string Name, Action Call)>
            {
                ("json", () => Config.Parse(null!)),
                ("key", () => Config.Empty.With(null!, "a")),
                ("key", () => Config.Empty.With(null!, 1)),
                ("value", () => Config.Empty.With("a", (string)null!)),
                ("other", () => Config.Empty.With(null!)),
                ("topic", () => Config.Describe(null!)),
                ("topic", () => Config.DescribeJson(null!)),
                ("path", () => Dataset.Open(null!)),
                ("text", () => data.Add((string)null!)),
                ("textA", () => data.Add(null!, "b")),
                ("texts", () => data.Add((IEnumerable<string>)null!)),
                ("values", () => new Embeddings(null!, 1)),
                ("sample", () => Quantization.Calibrate(null!)),
                ("embeddings", () => Quantization.Quantize(null!, Precision.Binary)),
                ("queries", () => Search.Nearest(null!, some, 1)),
                ("corpus", () => Search.Nearest(some, null!, 1)),
                ("a", () => Similarity.Matrix(null!, some)),
                ("b", () => Similarity.Matrix(some, null!)),
                ("path", () => SentenceEncoder.Load(null!)),
                ("config", () => SentenceEncoder.Create(null!)),
                ("text", () => encoder.Encode((string)null!)),
                ("text", () => encoder.Encode((string)null!, new float[encoder.Dimension])),
                ("texts", () => encoder.Encode((IEnumerable<string>)null!)),
                ("text", () => encoder.Tokenize(null!)),
                ("textA", () => encoder.TokenizePair(null!, "b")),
                ("textB", () => encoder.TokenizePair("a", null!)),
                ("task", () => encoder.Evaluate(null!, Config.Empty)),
                ("config", () => encoder.Evaluate("sts", null!)),
                ("pairs", () => encoder.Mine(null!, null, "a.jsonl")),
                ("output", () => encoder.Mine(data, null, null!)),
                ("path", () => encoder.Save(null!)),
                ("encoder", () => new Trainer(null!, data, Config.Empty)),
                ("config", () => new Trainer(encoder, data, null!)),
                ("config", () => Trainer.Check(null!)),
                ("path", () => Trainer.Resume(null!, encoder, data)),
                ("encoder", () => Trainer.Resume("a", null!, data)),
                ("texts", () => trainer.Batch((IEnumerable<string>)null!)),
                ("pairs", () => trainer.Batch((IEnumerable<(string, string)>)null!)),
                ("name", () => trainer.Metric(null!)),
                ("path", () => trainer.Save(null!)),
                ("path", () => trainer.SaveBest(null!)),
                ("path", () => some.Save(null!)),
                ("path", () => Embeddings.Load(null!)),
                ("entries", () => Config.From(null!)),
                ("encoder", () => new TextIndex(null!)),
                ("texts", () => new TextIndex(encoder).Add(null!)),
                ("query", () => new TextIndex(encoder).Search((string)null!)),
                ("path", () => new TextIndex(encoder).Save(null!)),
                ("input", () => Vocabulary.Train(null!, "b")),
                ("output", () => Vocabulary.Train("a", null!))
            };
            foreach ((string name, Action call) in calls)
                Assert.Equal(name, Assert.Throws<ArgumentNullException>(call).ParamName);
            foreach (Action call in new Action[] { () => encoder.Encode(new[] { "a", null! }),
                () => trainer.Batch(new[] { "a", null! }), () => data.Add(new[] { "a", null! }),
                () => trainer.Batch(new[] { ("a", (string)null!) }) })
                Assert.Contains("Text 1 is null", Assert.Throws<ArgumentException>(call).Message);
        }
    }
}
