// The example that adapts its model on a timer.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Contrastive.Examples;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ScheduledTests : IDisposable
    {
        private static readonly Config Quick = Config.Parse(
            "{\"lr\": 0.002, \"max_steps\": 40, \"test_share\": 0.3, \"near_duplicate\": 1, " +
            "\"mining.relative_margin\": -1e9, \"resamples\": 100}");

        private readonly TemporaryFolder folder_ = new TemporaryFolder();

        public ScheduledTests()
        {
            using SentenceEncoder fresh = SentenceEncoder.Create(Config.Empty.With("tokenizer",
                Support.Fixture("models/bert_st")).With("layers", 1).With("hidden_size", 32)
                .With("attention_heads", 2).With("max_length", 32).With("pooling", "mean"));
            fresh.Save(folder_["start"]);
        }

        public void Dispose() => folder_.Dispose();

        /// <summary>Pairs in which the second text shares three of the four words of the
        /// first.</summary>
        private static string[] Similar()
        {
            string[] words = ("the cat dog bird house mat two old new fly run open cafe water " +
                "tree green red blue small man").Split(' ');
            var lines = new List<string>();
            long draw = 1;
            for (int i = 0; i < 160; ++i)
            {
                string[] w = new string[5];
                for (int j = 0; j < 5; ++j) w[j] = words[(draw = draw * 48271 % 2147483647) % 20];
                lines.Add(string.Join(" ", w[0], w[1], w[2], w[3]) + "\t" +
                    string.Join(" ", w[2], w[0], w[3], w[4]));
            }
            return lines.ToArray();
        }

        private string[] Lines(string folder, string name) =>
            File.ReadAllLines(Path.Combine(folder_[folder], name));

        private bool Has(string folder, string name)
        {
            string path = Path.Combine(folder_[folder], name);
            return File.Exists(path) || Directory.Exists(path);
        }

        [TrainingFact]
        public void ABetterModelTakesOverAndComesBack()
        {
            using (var service = new ScheduledAdaptation(folder_["models"], folder_["start"],
                encoder => 0, 160, Quick))
            {
                Assert.Equal("0 pairs of 160 were collected", service.Adapt());
                service.Collect(Similar());
                service.Every(TimeSpan.FromMilliseconds(20), told => { });
                Support.WaitUntil(() => service.Number == 1);
                service.Encode(new[] { "the cat" }, out int number);
                Assert.Equal(1, number);
                service.Rollback();
                Assert.Equal(0, service.Number);
                Assert.Throws<InvalidOperationException>(() => service.Rollback());
                Assert.Throws<FormatException>(() => service.Collect(new[] { "no pair" }));
                Assert.Throws<FormatException>(() => service.Collect(new string[0]));
            }
            // A restart does the same.
            using var again = new ScheduledAdaptation(folder_["models"], "", encoder => 0, 160,
                Quick);
            Assert.Equal(0, again.Number);
        }

        [TrainingFact]
        public void AModelThatIsNotBetterOrFailsTheCanaryDoesNotStay()
        {
            using (var strict = new ScheduledAdaptation(folder_["strict"], folder_["start"],
                encoder => 0, 160, Quick.With("min_gain", 1)))
            {
                for (int round = 1; round <= 2; ++round)
                {
                    strict.Collect(Similar());
                    Assert.Contains("kept the model: ndcg@10 went from", strict.Adapt());
                    Assert.Equal(Similar(), Lines("strict", "model-" + round + ".tsv"));
                }
            }
            int asked = 0;
            using var watched = new ScheduledAdaptation(folder_["watched"], folder_["start"],
                encoder => 1.0 / ++asked, 160, Quick);
            watched.Collect(Similar());
            Assert.Equal("kept the model: the canary fell from 1 to 0.5", watched.Adapt());
            Assert.Equal(0, watched.Number);
            Assert.Equal(new[] { "0 -1" }, Lines("watched", "served"));
            Assert.Equal(Similar(), Lines("watched", "model-1.tsv"));
            File.WriteAllText(folder_["canary.tsv"], "the cat\tthe cat\na dog\ta dog\n");
            using SentenceEncoder encoder = SentenceEncoder.Load(folder_["start"]);
            Assert.Equal(1, ScheduledAdaptation.Found(folder_["canary.tsv"])(encoder));
        }

        [TrainingFact]
        public void ACanaryThatThrowsLeavesTheModelAndThePairs()
        {
            int asked = 0;
            Func<SentenceEncoder, double> canary = encoder =>
            {
                ++asked;
                // Call 1 is for the served model, call 3 for a new one.
                return asked == 1 || asked == 3 ? throw new NotSupportedException("no canary") : 0;
            };
            var told = new List<string>();
            long handles = Library.LiveHandles;
            using (var service = new ScheduledAdaptation(folder_["models"], folder_["start"],
                canary, 160, Quick))
            {
                service.Collect(Similar());
                for (int round = 0; round < 2; ++round)
                {
                    Assert.Throws<NotSupportedException>(() => service.Adapt());
                    Assert.Equal(0, service.Number);
                    Assert.Equal(Similar(), Lines("models", "round.tsv"));
                }
                Assert.Equal(3, asked);
                asked = 0;  // on the timer, which continues
                service.Every(TimeSpan.FromMilliseconds(20), told.Add);
                Support.WaitUntil(() => service.Number > 0 && !Has("models", "round.tsv"));
                Assert.True(service.Number > 0);
                Assert.Equal(Similar(), Lines("models", "model-" + service.Number + ".tsv"));
            }
            Assert.Equal("adapting failed: no canary", told[0]);
            Assert.Equal("adapting failed: no canary", told[1]);
            Support.ExpectLive(handles);
        }

        /// <summary>A timer whose report fails ends, and the model is still freed.</summary>
        [TrainingFact]
        public void ATimerThatEndsFreesTheModel()
        {
            long handles = Library.LiveHandles;
            using var asked = new ManualResetEventSlim();
            var service = new ScheduledAdaptation(folder_["models"], folder_["start"], encoder => 0,
                160, Quick);
            int calls = 0;
            service.Every(TimeSpan.FromMilliseconds(1), told =>
            {
                if (++calls == 2) asked.Set();  // the report of the failure also fails
                throw new NotSupportedException("nobody listens");
            });
            Assert.True(asked.Wait(TimeSpan.FromMinutes(1)));
            Assert.Throws<AggregateException>(() => service.Dispose());
            Support.ExpectLive(handles);
        }

        [TrainingFact]
        public void ARoundThatWasBrokenOffGoesOn()
        {
            Config slow = Quick.With("max_steps", 1000).With("lr", 0.0001);
            foreach (int documents in new[] { 2000, 1999 })
            {
                string models = "models-" + documents;
                using (var service = new ScheduledAdaptation(folder_[models], folder_["start"],
                    encoder => 0, 160, slow))
                {
                    service.Collect(Similar());
                    service.Every(TimeSpan.FromMilliseconds(1), told => { });
                    Support.WaitUntil(() => Has(models, "model-1.adapting/split.done.json"));
                }
                Assert.True(Has(models, "model-1.adapting") && Has(models, "round.tsv"));
                // A restart does the same.
                using var again = new ScheduledAdaptation(folder_[models], "", encoder => 0, 160,
                    slow.With("dev_documents", documents));
                // A round that began with other settings is dropped, but its pairs are kept.
                if (documents != 2000)
                {
                    Assert.Equal(ErrorKind.Mismatch,
                        Assert.Throws<ContrastiveException>(() => again.Adapt()).Kind);
                    Assert.False(Has(models, "model-1.adapting"));
                    Assert.Equal(Similar(), Lines(models, "round.tsv"));
                }
                Assert.Contains("serves a better model: ", again.Adapt());
                Assert.Equal(1, again.Number);
                Assert.Equal(Similar(), Lines(models, "model-1.tsv"));
                Assert.False(Has(models, "model-1.adapting") || Has(models, "round.tsv"));
            }
        }

        [TrainingFact]
        public void ARollbackDuringARoundWins()
        {
            for (int during = 1; during <= 2; ++during)  // before the adaptation, and after it
            {
                string models = "models-" + during;
                using (SentenceEncoder same = SentenceEncoder.Load(folder_["start"]))
                {
                    same.Save(Path.Combine(folder_[models], "model-0"));
                    same.Save(Path.Combine(folder_[models], "model-1"));
                }
                File.WriteAllText(Path.Combine(folder_[models], "served"), "1 0");
                ScheduledAdaptation? running = null;
                int left = during;
                Func<SentenceEncoder, double> canary = encoder =>
                {
                    if (--left != 0) return 0;
                    Assert.True(Task.Run(() => running!.Rollback()).Wait(TimeSpan.FromSeconds(30)));
                    running!.Encode(new[] { "the cat" }, out int number);
                    Assert.Equal(0, number);
                    return 0;
                };
                using var service = running = new ScheduledAdaptation(folder_[models], "", canary,
                    160, Quick);
                service.Collect(Similar());
                Assert.Equal("the model was changed meanwhile", service.Adapt());
                Assert.Equal(0, service.Number);
                Assert.Equal(new[] { "0 -1" }, Lines(models, "served"));
                Assert.Equal(Similar(), Lines(models, "round.tsv"));
                // The round starts from the model that is served now.
                Assert.Contains("serves a better model: ", service.Adapt());
                Assert.Equal(during + 1, service.Number);
            }
        }

        [TrainingFact]
        public void ABadRoundDoesNotStopTheNext()
        {
            using var service = new ScheduledAdaptation(folder_["models"], folder_["start"],
                encoder => 0, 2, Quick);
            string[] few = { Similar()[0], Similar()[1] };
            for (int round = 1; round <= 2; ++round)
            {
                service.Collect(few);
                Assert.Equal(ErrorKind.Argument,
                    Assert.Throws<ContrastiveException>(() => service.Adapt()).Kind);
                Assert.Equal(few, Lines("models", "failed-" + round + ".tsv"));
                Assert.False(Has("models", "round.tsv") || Has("models", "model-1.adapting"));
            }
            service.Collect(Similar());
            service.Collect(new[] { "a line with\0a NUL\tcannot be read" });
            Assert.Contains("serves a better model: ", service.Adapt());
            Assert.Equal(1, service.Number);
        }
    }
}
