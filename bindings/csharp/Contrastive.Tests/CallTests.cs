// Progress, tasks and streams.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class CallTests : IDisposable
    {
        private readonly SentenceEncoder encoder_ = Support.Tiny();

        public void Dispose() => encoder_.Dispose();

        private sealed class Listener : IProgress<CallProgress>
        {
            private readonly Action<CallProgress> told_;
            internal Listener(Action<CallProgress> told) => told_ = told;
            internal List<CallProgress> Reports { get; } = new List<CallProgress>();

            public void Report(CallProgress value)
            {
                lock (Reports) Reports.Add(value);
                told_(value);
            }
        }

        private static string[] Texts(int count) => Enumerable.Range(0, count)
            .Select(i => "the cat sat on the mat and saw bird " + i).ToArray();

        [Fact]
        public void ACallTellsItsProgress()
        {
            var listener = new Listener(value => { });
            string[] texts = Texts(3000);
            Embeddings rows = encoder_.Encode(texts, null, listener);
            Assert.Equal(encoder_.Encode(texts).Values.ToArray(), rows.Values.ToArray());
            Assert.NotEmpty(listener.Reports);
            CallProgress last = listener.Reports[listener.Reports.Count - 1];
            Assert.Equal((3000L, 3000L), (last.Done, last.Total));
            Assert.True(last.What.Length > 0);
            Assert.Equal("3000 of 3000 " + last.What, last.ToString());
            Assert.True(listener.Reports.Zip(listener.Reports.Skip(1),
                (one, next) => one.Done <= next.Done).All(grows => grows));
        }

        [Fact]
        public void AListenerThatThrowsEndsTheCall()
        {
            var listener = new Listener(value => throw new FormatException("from the listener"));
            Assert.Equal("from the listener", Assert.Throws<FormatException>(() =>
                encoder_.Encode(Texts(20000), new EncodeOptions { BatchTokens = 256 }, listener))
                .Message);
            Assert.Single(listener.Reports);
            Assert.Equal(encoder_.Dimension, encoder_.Encode("the cat").Length);
        }

        [Fact]
        public void AListenerMayCancel()
        {
            using var source = new CancellationTokenSource();
            var listener = new Listener(value => source.Cancel());
            Assert.Equal(source.Token, Assert.Throws<OperationCanceledException>(() =>
                encoder_.Encode(Texts(20000), new EncodeOptions { BatchTokens = 256 }, listener,
                source.Token)).CancellationToken);
        }

        [Fact]
        public async Task CallsAreTasks()
        {
            string[] texts = Texts(8);
            Assert.Equal(encoder_.Encode(texts).Values.ToArray(),
                (await encoder_.EncodeAsync(texts)).Values.ToArray());
            Assert.Equal(encoder_.Encode(texts[0]), await encoder_.EncodeAsync(texts[0]));
            using var source = new CancellationTokenSource();
            Task<Embeddings> running = encoder_.EncodeAsync(Texts(200000),
                new EncodeOptions { BatchTokens = 256 }, null, source.Token);
            source.CancelAfter(20);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
            Assert.True(running.IsCanceled);
            await Assert.ThrowsAsync<ArgumentNullException>(
                () => encoder_.EncodeAsync((string)null!));
            await Assert.ThrowsAsync<ContrastiveException>(() =>
                encoder_.EvaluateAsync("stss", Config.Empty));
        }

        private static async IAsyncEnumerable<string> Stream(IEnumerable<string> texts)
        {
            foreach (string text in texts)
            {
                await Task.Yield();
                yield return text;
            }
        }

        [Fact]
        public async Task AStreamIsEmbeddedBatchByBatch()
        {
            string[] texts = Texts(10);
            float[] expected = encoder_.Encode(texts).Values.ToArray();
            foreach (int batch in new[] { 1, 3, 10, 100 })
            {
                var rows = new List<float>();
                await foreach (ReadOnlyMemory<float> row in
                    encoder_.EncodeEachAsync(Stream(texts), batch))
                    rows.AddRange(row.ToArray());
                Support.Near(expected, rows.ToArray(), 1e-6);
            }
            int count = 0, read = 0;
            await foreach (ReadOnlyMemory<float> row in
                encoder_.EncodeEachAsync(texts.Select(text => { ++read; return text; }), 2))
                if (++count == 3) break;
            Assert.Equal(4, read);  // no more than the batches that were needed
            using var source = new CancellationTokenSource();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            {
                await foreach (ReadOnlyMemory<float> row in encoder_.EncodeEachAsync(texts, 1)
                    .WithCancellation(source.Token))
                    source.Cancel();
            });
            Assert.Throws<ArgumentOutOfRangeException>(() => encoder_.EncodeEachAsync(texts, 0));
        }

        [TrainingFact]
        public async Task TrainingIsATask()
        {
            using Dataset data = Support.PairData();
            using var trainer = new Trainer(encoder_, data, Support.Training);
            var steps = new List<long>();
            await trainer.RunAsync(new Recorder(steps));
            Assert.Equal(new long[] { 1, 2, 3, 4, 5, 6 }, steps);
        }

        private sealed class Recorder : IProgress<TrainingProgress>
        {
            private readonly List<long> steps_;
            internal Recorder(List<long> steps) => steps_ = steps;
            public void Report(TrainingProgress value) => steps_.Add(value.Step);
        }

        [Fact]
        public async Task MiningIsATaskThatTellsItsProgress()
        {
            using var folder = new TemporaryFolder();
            using Dataset pairs = Support.PairData();
            var listener = new Listener(value => { });
            Report report = await encoder_.MineAsync(pairs, null, folder["mined.jsonl"],
                Config.Parse("{\"relative_margin\": -1e9, \"num_negatives\": 2}"), null, listener);
            Assert.Equal(16.0, report.Number("negatives"));
            Assert.NotEmpty(listener.Reports);
            Assert.True(File.Exists(folder["mined.jsonl"]));
        }
    }
}
