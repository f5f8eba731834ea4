// What calls cost from C#: the same ones as in the C program beside which overhead.sh runs this, in place and with fresh results; best of 30 blocks
// after as many to warm up.
using System;
using System.Diagnostics;
using System.Globalization;

namespace Contrastive.Bench
{
    internal static class Program
    {
        private const int Rows = 1000, Columns = 384;

        private static void Main(string[] arguments)
        {
            Library.SetThreads(1);
            using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
            const string Text = "the cat sat on the mat.";
            string[] texts = { Text };
            var embedding = new float[encoder.Dimension];
            using var source = new System.Threading.CancellationTokenSource();
            Measure("bare_call call", 100000, () => Interop.Native.cs_model_dimension(encoder.Handle));
            Measure("one_text place", 2000, () => encoder.Encode(Text, embedding));
            Measure("one_text span", 2000, () => encoder.Encode(texts.AsSpan(), embedding));
            Measure("one_text token", 2000, () => encoder.Encode(Text, embedding, null, source.Token));
            Measure("one_text fresh", 2000, () => encoder.Encode(Text));
            float[] left = new float[Rows], right = new float[Columns], scores = new float[Rows * Columns], corpus = new float[Rows * Columns];
            for (int i = 0; i < corpus.Length; ++i) corpus[i] = i % 7;
            var a = new Embeddings(left, 1);
            var b = new Embeddings(right, 1);
            Measure("floats_out place", 100, () => Similarity.Matrix(left, right, 1, scores, Metric.Dot));
            Measure("floats_out fresh", 100, () => Similarity.Matrix(a, b, Metric.Dot));
            Measure("floats_in place", 100, () => Similarity.Matrix(corpus.AsSpan(0, Columns), corpus, Columns, scores, Metric.Dot));
        }

        private static void Measure(string name, int calls, Action call)
        {
            double best = double.MaxValue;
            for (int block = 0; block < 60; ++block)
            {
                long begin = Stopwatch.GetTimestamp();
                for (int i = 0; i < calls; ++i) call();
                double each = (Stopwatch.GetTimestamp() - begin) * 1e9 / Stopwatch.Frequency / calls;
                if (block >= 30) best = Math.Min(best, each);
            }
            Console.WriteLine(name + " " + best.ToString("0.0", CultureInfo.InvariantCulture));
        }
    }
}
