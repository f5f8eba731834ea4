// The example that adapts its model on a timer.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Contrastive.Examples;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ScheduledTests : IDisposable
    {
        private static readonly Config Quick = Config.Parse("{\"lr\": 0.002, \"max_steps\": 40, \"test_share\": 0.3, \"near_duplicate\": 1, " +
            "\"mining.relative_margin\": -1e9, \"resamples\": 100}");

        private readonly TemporaryFolder folder_ = new TemporaryFolder();

        public ScheduledTests()
        {
            using SentenceEncoder fresh = SentenceEncoder.Create(Config.Empty.With("tokenizer", Support.Fixture("models/bert_st")).With("layers", 1)
                .With("hidden_size", 32).With("attention_heads", 2).With("max_length", 32).With("pooling", "mean"));
            fresh.Save(folder_["start"]);
        }

        public void Dispose() => folder_.Dispose();

        /// <summary>Pairs whose second texts have three of the first ones' four words.</summary>
        private static string[] Similar()
        {
            string[] words = "the cat dog bird house mat two old new fly run open cafe water tree green red blue small man".Split(' ');
            var lines = new List<string>();
            long draw = 1;
            for (int i = 0; i < 160; ++i)
            {
                string[] w = new string[5];
                for (int j = 0; j < 5; ++j) w[j] = words[(draw = draw * 48271 % 2147483647) % 20];
                lines.Add(string.Join(" ", w[0], w[1], w[2], w[3]) + "\t" + string.Join(" ", w[2], w[0], w[3], w[4]));
            }
            return lines.ToArray();
        }

        [Fact]
        public void ABetterModelTakesOverAndComesBack()
        {
            using (var service = new ScheduledAdaptation(folder_["models"], folder_["start"], encoder => 0, 160, Quick))
            {
                Assert.Equal("0 pairs of 160 were collected", service.Adapt());
                service.Collect(Similar());
                service.Every(TimeSpan.FromMilliseconds(20), told => { });
                for (var time = Stopwatch.StartNew(); service.Number != 1 && time.Elapsed < TimeSpan.FromMinutes(1);) Thread.Sleep(5);
                service.Encode(new[] { "the cat" }, out int number);
                Assert.Equal(1, number);
                service.Rollback();
                Assert.Equal(0, service.Number);
                Assert.Throws<InvalidOperationException>(() => service.Rollback());
                Assert.Throws<FormatException>(() => service.Collect(new[] { "no pair" }));
            }
            using var again = new ScheduledAdaptation(folder_["models"], "", encoder => 0, 160, Quick);  // as a restart does
            Assert.Equal(0, again.Number);
        }

        [Fact]
        public void AModelThatIsNotBetterOrFailsTheCanaryDoesNotStay()
        {
            using (var strict = new ScheduledAdaptation(folder_["strict"], folder_["start"], encoder => 0, 160, Quick.With("min_gain", 1)))
            {
                strict.Collect(Similar());
                Assert.Contains("kept the model: ndcg@10 went from", strict.Adapt());
            }
            int asked = 0;
            using var watched = new ScheduledAdaptation(folder_["watched"], folder_["start"], encoder => 1.0 / ++asked, 160, Quick);
            watched.Collect(Similar());
            Assert.Equal("rolled back: the canary fell from 1 to 0.5", watched.Adapt());
            Assert.Equal(0, watched.Number);
            File.WriteAllText(folder_["canary.tsv"], "the cat\tthe cat\na dog\ta dog\n");
            using SentenceEncoder encoder = SentenceEncoder.Load(folder_["start"]);
            Assert.Equal(1, ScheduledAdaptation.Found(folder_["canary.tsv"])(encoder));
        }
    }
}
