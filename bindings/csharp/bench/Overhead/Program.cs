// What calls cost from C# above the same calls in C (bindings/bench/reference.c), which are made in
// the same process: MODEL. A table, and an exit status of 1 where a call costs more than it is
// allowed to.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Contrastive.Bench
{
    internal static class Program
    {
        private const int Rows = 1000, Columns = 384;
        private const int BareCall = 0, OneText = 1, FloatsOut = 2, FloatsIn = 3;
        private const double Any = double.PositiveInfinity;
        private static bool exceeded_;

        [DllImport("contrastive_reference")]
        private static extern int reference_open(byte[] folder);

        [DllImport("contrastive_reference")]
        private static extern double reference_time(int which, int calls);

        private static int Main(string[] arguments)
        {
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
            Library.SetThreads(1);
            if (!Open(arguments[0])) return 1;
            using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
            const string Text = "the cat sat on the mat.";
            string[] texts = { Text };
            var embedding = new float[encoder.Dimension];
            using var source = new System.Threading.CancellationTokenSource();
            Console.WriteLine("| | C, us | above C, us | allowed, us |\n| --- | --- | --- | --- |");
            Measure("a call that does nothing", BareCall, 2000, 300, 1,
                () => Interop.Native.cs_model_dimension(encoder.Handle));
            double oneText = Measure("1 text, into a Span<float>", OneText, 20, 500, OneTextAllowed,
                () => encoder.Encode(Text, embedding));
            Measure("1 text, with a CancellationToken", OneText, 20, 500, 5,
                () => encoder.Encode(Text, embedding, null, source.Token));
            Measure("ReadOnlySpan<string> of 1 text, into a Span<float>", OneText, 20, 500, 3,
                () => encoder.Encode(texts.AsSpan(), embedding));
            Measure("1 text, fresh float[]", OneText, 20, 500, 3, () => encoder.Encode(Text));
            float[] left = new float[Rows], right = new float[Columns],
                scores = new float[Rows * Columns], corpus = new float[Rows * Columns];
            for (int i = 0; i < corpus.Length; ++i) corpus[i] = i % 7;
            var a = new Embeddings(left, 1);
            var b = new Embeddings(right, 1);
            Measure("1,000 x 384 floats out, into a Span<float>", FloatsOut, 5, 100, 20,
                () => Similarity.Matrix(left, right, 1, scores, Metric.Dot));
            Measure("1,000 x 384 floats out, fresh float[,]", FloatsOut, 5, 100, Any,
                () => Similarity.Matrix(a, b, Metric.Dot));
            Measure("1,000 x 384 floats in, from a ReadOnlySpan<float>", FloatsIn, 20, 100, 20,
                () => Similarity.Matrix(corpus.AsSpan(0, Columns), corpus, Columns, scores,
                    Metric.Dot));
            Console.WriteLine("one text into the caller's memory: " +
                oneText.ToString("+0.00;-0.00") + " us above C on .NET " +
                Environment.Version + ", at most " + OneTextAllowed);
            return exceeded_ ? 1 : 0;
        }

        /// <summary>Not inlined: the library that it calls needs libcontrastive to be
        /// loaded.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static bool Open(string model) =>
            reference_open(Encoding.UTF8.GetBytes(model + "\0")) == 0;

        private const double OneTextAllowed = 1;

        /// <summary>Measures rounds of C, C#, C#, C, and takes the medians of the time in C and of
        /// the difference within a round. Other work on the machine disturbs few rounds.</summary>
        private static double Measure(string name, int which, int calls, int rounds, double allowed,
            Action call)
        {
            InCSharp(calls * rounds, call);  // compiled before the measurement
            double[] c = new double[rounds], above = new double[rounds];
            for (int attempt = 0; attempt == 0 ||
                (attempt < 20 && above[rounds / 2] > Limit(allowed, c[rounds / 2])); ++attempt)
            {
                for (int i = 0; i < rounds; ++i)
                {
                    double first = reference_time(which, calls),
                        both = InCSharp(calls, call) + InCSharp(calls, call);
                    c[i] = (first + reference_time(which, calls)) / 2000;
                    above[i] = both / 2000 - c[i];
                }
                Array.Sort(c);
                Array.Sort(above);
            }
            double difference = above[rounds / 2], limit = Limit(allowed, c[rounds / 2]);
            Console.WriteLine("| " + name + " | " + c[rounds / 2].ToString("0.000") + " | " +
                difference.ToString("+0.000;-0.000") + " | " +
                (allowed == Any ? "" : limit.ToString("0")) + " |");
            if (difference <= limit) return difference;
            exceeded_ = true;
            Console.WriteLine("Overhead: " + name + ": " + difference.ToString("0.000") +
                " us above C, " + limit.ToString("0.#") + " are allowed");
            return difference;
        }

        /// <summary>The time of a long computation varies by a quarter on a busy machine. The
        /// measurement only has to notice a copy of the floats.</summary>
        private static double Limit(double allowed, double c) =>
            c < 100 ? allowed : Math.Max(allowed, c / 4);

        private static double InCSharp(int calls, Action call)
        {
            long begin = Stopwatch.GetTimestamp();
            for (int i = 0; i < calls; ++i) call();
            return (Stopwatch.GetTimestamp() - begin) * 1e9 / Stopwatch.Frequency / calls;
        }
    }
}
