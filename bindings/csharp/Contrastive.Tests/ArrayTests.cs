// Similarity, search and quantization.
using System;
using System.Linq;
using System.Threading;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ArrayTests
    {
        private static readonly Embeddings Corpus =
            new Embeddings(new float[] { 1, 0, 0, 1, 3, 4, -1, 0 }, 2);

        [Fact]
        public void ComparesEachWithEach()
        {
            float[,] scores = Similarity.Matrix(Corpus, Corpus);
            Assert.Equal(1f, scores[2, 2]);
            Assert.InRange(scores[0, 2], 0.599f, 0.601f);
            Assert.Equal(-1f, scores[0, 3]);
            Assert.Equal(3f, Similarity.Score(Corpus[0].Span, Corpus[2].Span, Metric.Dot));
            Assert.Equal(-2f, Similarity.Score(Corpus[0].Span, Corpus[3].Span, Metric.Euclidean));
            Assert.Equal(-6f, Similarity.Score(Corpus[0].Span, Corpus[2].Span, Metric.Manhattan));
            Assert.Throws<ArgumentException>(() => Similarity.Score(new float[2], new float[3]));
            Assert.Throws<ArgumentException>(() =>
                Similarity.Matrix(Corpus, new Embeddings(new float[3], 3)));
            var four = new float[4];
            Assert.Equal("scores", Assert.Throws<ArgumentException>(() =>
                Similarity.Matrix(four, four, 2, new float[3])).ParamName);
            Assert.Equal("metric", Assert.Throws<ArgumentOutOfRangeException>(() =>
                Similarity.Matrix(Corpus, Corpus, (Metric)9)).ParamName);
        }

        [Fact]
        public void FindsTheNearestFirst()
        {
            var queries = new Embeddings(new float[] { 1, 0.1f, 0, -1 }, 2);
            SearchHit[][] hits = Search.Nearest(queries, Corpus, 3);
            Assert.Equal(new[] { 0, 2, 1 }, hits[0].Select(hit => hit.Index).ToArray());
            Assert.True(hits[0][0].Score > hits[0][1].Score);
            Assert.Equal(4, Search.Nearest(queries, Corpus, 10)[1].Length);
            Assert.Empty(Search.Nearest(queries, new Embeddings(new float[0], 2), 3)[1]);
            int[] indices = new int[10];
            float[] scores = new float[10];
            Search.Nearest(queries.Values.Span, Corpus.Values.Span, 2, 5, indices, scores,
                Metric.Dot);
            Assert.Equal(-1, indices[4]);
            Assert.Equal(float.NegativeInfinity, scores[4]);
            Assert.Throws<OperationCanceledException>(() =>
                Search.Nearest(queries, Corpus, 1, Metric.Dot, new CancellationToken(true)));
            Assert.Equal("k", Assert.Throws<ArgumentOutOfRangeException>(
                () => Search.Nearest(queries, Corpus, 0)).ParamName);
            Assert.Equal("indices", Assert.Throws<ArgumentException>(() => Search.Nearest(
                queries.Values.Span, Corpus.Values.Span, 2, 6, indices, scores)).ParamName);
        }

        [Fact]
        public void AVectorThatIsNotANumberIsNamed()
        {
            var finite = new Embeddings(new float[] { 1, 0, 0, 1 }, 2);
            foreach (float value in new[] { float.NaN, float.PositiveInfinity })
            {
                var other = new Embeddings(new[] { 1, 0, value, 1 }, 2);
                foreach ((Embeddings queries, Embeddings corpus) in new[] { (other, finite),
                    (finite, other), (other, other) })
                foreach (Metric metric in new[] { Metric.Cosine, Metric.Dot, Metric.Euclidean,
                    Metric.Manhattan })
                foreach (int k in new[] { 1, 2 })
                    Assert.Equal(ErrorKind.Numeric, Assert.Throws<ContrastiveException>(
                        () => Search.Nearest(queries, corpus, k, metric)).Kind);
            }
        }

        [Fact]
        public void HitsAreValuesAndCrossJson()
        {
            SearchHit[] hits = Search.Nearest(Corpus, Corpus, 2)[0];
            Assert.Equal(new SearchHit(0, 1), hits[0]);
            Assert.Equal(hits, System.Text.Json.JsonSerializer.Deserialize<SearchHit[]>(
                System.Text.Json.JsonSerializer.Serialize(hits)));
            var ranked = new RankedDocument(3, 0.25f);
            Assert.Equal(ranked, System.Text.Json.JsonSerializer.Deserialize<RankedDocument>(
                System.Text.Json.JsonSerializer.Serialize(ranked)));
            (int index, float score) = hits[0];
            Assert.Equal((0, 1f), (index, score));
        }

        [Fact]
        public void MoreThanAnArrayHoldsIsRefusedWithAdvice()
        {
            var many = new Embeddings(new float[70000], 1);
            ContrastiveException failure = Assert.Throws<ContrastiveException>(
                () => Search.Nearest(many, many, 70000));
            Assert.Equal(ErrorKind.Limit, failure.Kind);
            Assert.Contains("search for fewer queries", failure.Message);
            Assert.Contains("Search.Nearest", Assert.Throws<ContrastiveException>(
                () => Similarity.Matrix(many, many)).Message);
        }

        [Fact]
        public void NumPyFilesAreWrittenAndRead()
        {
            using var folder = new TemporaryFolder();
            Corpus.Save(folder["vèctors.npy"]);
            byte[] file = System.IO.File.ReadAllBytes(folder["vèctors.npy"]);
            Assert.Equal("NUMPY", System.Text.Encoding.ASCII.GetString(file, 1, 5));
            Embeddings again = Embeddings.Load(folder["vèctors.npy"]);
            Assert.Equal(2, again.Dimension);
            Assert.Equal(Corpus.Values.ToArray(), again.Values.ToArray());
            Assert.Equal(ErrorKind.NotFound, Assert.Throws<ContrastiveException>(
                () => Embeddings.Load(folder["none.npy"])).Kind);
            System.IO.File.WriteAllText(folder["text.npy"], "no matrix");
            Assert.Equal(ErrorKind.Format, Assert.Throws<ContrastiveException>(
                () => Embeddings.Load(folder["text.npy"])).Kind);
        }

        [Fact]
        public void StoresInFewerBytes()
        {
            Assert.Equal(new byte[] { 0b10000000, 0b01000000, 0b11000000, 0 },
                Quantization.Quantize(Corpus, Precision.Binary));
            byte[] halves = Quantization.Quantize(Corpus, Precision.Float16);
            Assert.Equal(16, halves.Length);
            Assert.Equal(0x3C00, BitConverter.ToUInt16(halves, 0));
            float[] calibration = Quantization.Calibrate(Corpus);
            Assert.Equal(new[] { -1f, 0f }, calibration.Take(2).ToArray());
            byte[] bytes = Quantization.Quantize(Corpus, Precision.Int8, calibration);
            Assert.Equal(-128, (int)(sbyte)bytes[6]);
            // The highest value maps to the end of the range, up to rounding.
            Assert.InRange((int)(sbyte)bytes[4], 126, 127);
            Assert.Equal(ErrorKind.Argument, Assert.Throws<ContrastiveException>(() =>
                Quantization.Quantize(Corpus, Precision.Int8)).Kind);
            Assert.Throws<ArgumentException>(() =>
                Quantization.Quantize(Corpus, Precision.Int8, new float[3]));
            var room = new byte[17];
            foreach (Action call in new Action[]
            {
                () => Quantization.Quantize(Corpus.Values.Span, 2, Precision.Float16,
                    room.AsSpan(1)),
                () => Quantization.Quantize(Corpus.Values.Span, 2, Precision.Float16,
                    room.AsSpan(0, 15))
            })
                Assert.Equal("output", Assert.Throws<ArgumentException>(call).ParamName);
            Assert.Throws<ArgumentOutOfRangeException>(() =>
                Quantization.Quantize(Corpus, (Precision)7));
        }
    }
}
