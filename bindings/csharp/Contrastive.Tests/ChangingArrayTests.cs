// Arrays that another thread changes while they are looked at. None of this may read or write
// foreign memory: the process would end.
using System;
using System.Diagnostics;
using System.Linq;
using System.Text;
using System.Threading;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ChangingArrayTests
    {
        private const int Seconds = 1;

        /// <summary>Makes calls for a while, and until one has succeeded, while another thread
        /// changes their input. Returns how many calls succeeded and how many threw.</summary>
        private static (int Done, int Refused) While(Action<int> change, Action call,
            Func<Exception, bool> expected)
        {
            bool stop = false;
            var changer = new Thread(() =>
            {
                for (int i = 0; !Volatile.Read(ref stop); ++i) change(i);
            });
            changer.Start();
            int done = 0, refused = 0;
            try
            {
                for (var watch = Stopwatch.StartNew(); watch.Elapsed.TotalSeconds < Seconds ||
                    (done == 0 && watch.Elapsed.TotalSeconds < 60);)
                {
                    try
                    {
                        call();
                        ++done;
                    }
                    catch (Exception e) when (expected(e))
                    {
                        ++refused;
                    }
                }
            }
            finally
            {
                Volatile.Write(ref stop, true);
                changer.Join();
            }
            return (done, refused);
        }

        private static bool IsArgument(Exception e) => e is ArgumentException ||
            e is ContrastiveException failure && failure.Kind == ErrorKind.Argument;

        [Fact]
        public void OffsetsThatChangeAreNeverFollowedOutOfTheirBytes()
        {
            using SentenceEncoder encoder = Support.Tiny();
            byte[] data = Encoding.UTF8.GetBytes(
                string.Concat(Enumerable.Repeat("the cat sat ", 200)));
            int[] right = Enumerable.Range(0, 201).Select(i => 12 * i).ToArray();
            int[] offsets = right.ToArray();
            var destination = new float[200 * encoder.Dimension];
            int[] wrong = { int.MaxValue, -1, 1 << 30, data.Length + (1 << 28), int.MaxValue - 1 };
            (int done, int refused) = While(
                // Only the last offset may reach beyond the bytes. Valid and invalid values
                // alternate, so that two reads differ.
                i => Volatile.Write(ref offsets[200],
                    (i & 16) == 0 ? right[200] : wrong[i % wrong.Length]),
                () => encoder.EncodeUtf8(data, offsets, destination), IsArgument);
            Assert.True(done > 0, "no call was made");
            Console.WriteLine("     offsets that change during calls: " + done + " used, " +
                refused + " refused");
        }

        [Fact]
        public void BytesThatChangeHarmNoMemory()
        {
            foreach (string model in new[] { "models/bert_st", "models/roberta_hf" })
            {
                using SentenceEncoder encoder = SentenceEncoder.Load(Support.Fixture(model),
                    Config.Empty.With("pooling", "mean"));
                byte[] data = Encoding.UTF8.GetBytes(
                    string.Concat(Enumerable.Repeat("thé càt 🙂 sat [MASK] <mask> ", 400)));
                byte[] other = data.Select(value => (byte)(value ^ 0x80)).ToArray(),
                    right = data.ToArray();
                var destination = new float[encoder.Dimension];
                While(
                    i => Buffer.BlockCopy(i % 2 == 0 ? other : right, i % 64, data, i % 64,
                        data.Length - 64),
                    () =>
                    {
                        encoder.EncodeUtf8(data, new[] { 0, data.Length }, destination);
                        encoder.TokenizeUtf8(data, -1);
                    },
                    // There were more tokens than were counted.
                    e => e is ContrastiveException failure && failure.Kind == ErrorKind.Buffer);
            }
        }

        [Fact]
        public void TextsThatChangeAreEmbeddedAsTheyWereOrRefused()
        {
            using SentenceEncoder encoder = Support.Tiny();
            string[] texts = Enumerable.Repeat("the cat sat", 50).ToArray();
            string?[] others = { null, "", new string('é', 10000), "a dog runs", "the cat sat" };
            var known = new[] { "the cat sat", "", new string('é', 10000), "a dog runs" }
                .Select(text => encoder.Encode(text)).ToArray();
            (int done, int refused) = While(
                i =>
                {
                    for (int j = 0; j < texts.Length; ++j)
                        Volatile.Write(ref texts[j], others[(i + j) % others.Length]!);
                    for (int j = 0; j < texts.Length; ++j)
                        Volatile.Write(ref texts[j], "the cat sat");
                },
                () =>
                {
                    foreach (ReadOnlyMemory<float> row in encoder.Encode(texts))
                    {
                        float first = row.Span[0];
                        if (!known.Any(one => Math.Abs(one[0] - first) < 1e-5))
                            throw new InvalidOperationException("the embedding of no text: " +
                                first);
                    }
                },
                e => e is ArgumentException && e.Message.Contains("is null"));
            Assert.True(done > 0, "no call was made");
            Console.WriteLine("     texts that change during calls: " + done + " embedded, " +
                refused + " refused");
        }

        [Fact]
        public void OptionsThatChangeAreTheOldOrTheNew()
        {
            using SentenceEncoder encoder = Support.Tiny();
            var options = new EncodeOptions();
            int full = encoder.Dimension;
            While(
                i =>
                {
                    options.Normalize = i % 2 == 0 ? true : (bool?)null;
                    options.TruncateDimension = i % 3 == 0 ? 8 : null;
                    options.Pooling = i % 5 == 0 ? "max" : null;
                },
                () => Assert.InRange(encoder.Encode("the cat sat", options).Length, 8, full),
                // The rows were narrower when they were measured than when the call ran.
                e => e is ArgumentException argument && argument.ParamName == "destination" ||
                    e is ContrastiveException failure && failure.Kind == ErrorKind.Buffer);
        }
    }
}
