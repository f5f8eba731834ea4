// Datasets, runs step by step, by batch and whole, resuming, evaluating and cancelling.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class TrainingTests : IDisposable
    {
        private readonly SentenceEncoder encoder_ = Support.Tiny();
        private readonly Dataset data_ = Support.PairData();
        private readonly TemporaryFolder folder_ = new TemporaryFolder();

        public void Dispose()
        {
            encoder_.Dispose();
            data_.Dispose();
            folder_.Dispose();
        }

        [TrainingFact]
        public void StepsToItsEnd()
        {
            using var trainer = new Trainer(encoder_, data_, Support.Training);
            Assert.Null(trainer.Metric("loss"));
            for (int step = 1; step <= 6; ++step)
            {
                Assert.True(trainer.Step());
                Assert.Equal((double)step, trainer.Metric("step"));
                Assert.NotNull(trainer.Metric("loss"));
            }
            Assert.False(trainer.Step());
            Assert.Equal(6.0, trainer.Metrics()["total_steps"]);
            Assert.Null(trainer.Metric("no such metric"));
            Assert.Contains("\"clsr.temperature\":", trainer.EffectiveConfig().ToJson());
            Assert.Equal(ErrorKind.State,
                Assert.Throws<ContrastiveException>(() => data_.Add("a", "b")).Kind);
            Assert.Equal(ErrorKind.State,
                Assert.Throws<ContrastiveException>(() => trainer.Evaluate()).Kind);
        }

        [TrainingFact]
        public void ARunTellsItsProgressAndChangesACopy()
        {
            float[] before = encoder_.Encode("the cat sat");
            using var trainer = new Trainer(encoder_, data_, Support.Training);
            var progress = new Recorder();
            trainer.Run(progress);
            Assert.Equal(new long[] { 1, 2, 3, 4, 5, 6 }, progress.Steps.ToArray());
            using SentenceEncoder trained = trainer.Model(), best = trainer.BestModel();
            Assert.Equal(before, encoder_.Encode("the cat sat"));
            Assert.False(before.SequenceEqual(trained.Encode("the cat sat")));
            Assert.Equal(trained.Encode("the cat sat"), best.Encode("the cat sat"));
        }

        private sealed class Recorder : IProgress<TrainingProgress>
        {
            internal List<long> Steps { get; } = new List<long>();
            public void Report(TrainingProgress value) => Steps.Add(value.Step);
        }

        [TrainingFact]
        public void ResumesBitByBit()
        {
            using var whole = new Trainer(encoder_, data_, Support.Training);
            whole.Run();
            using (var half = new Trainer(encoder_, data_, Support.Training))
            {
                for (int i = 0; i < 3; ++i) half.Step();
                half.Save(folder_["half"]);
            }
            using Trainer rest = Trainer.Resume(folder_["half"], encoder_, data_);
            Assert.Equal(3.0, rest.Metric("step"));
            rest.Run();
            whole.SaveBest(folder_["whole"]);
            rest.SaveBest(folder_["rest"]);
            Assert.Equal(File.ReadAllBytes(folder_["whole/model.safetensors"]),
                File.ReadAllBytes(folder_["rest/model.safetensors"]));
            ContrastiveException refused = Assert.Throws<ContrastiveException>(() =>
                Trainer.Resume(folder_["whole"], encoder_, data_));
            Assert.Equal(ErrorKind.NotFound, refused.Kind);
        }

        [TrainingFact]
        public void TakesBatchesFromTheCaller()
        {
            using var trainer = new Trainer(encoder_, null, Support.Training);
            Assert.True(trainer.Batch(Support.Pairs.Take(4)));
            Assert.True(trainer.Batch(new[] { ("a dog", "a\0dog"), ("a bird 🙂", "birds") }));
            Assert.Contains("pairs", Assert.Throws<ContrastiveException>(() =>
                trainer.Batch(new[] { "a dog", "a cat" })).Message);
            Assert.True(trainer.Batch(new[] { "a dog", "the dog", "a cat", "the cat" }, 2,
                new double?[] { 0.5, null }));
            Assert.Equal(3.0, trainer.Metric("step"));
            Assert.Throws<ArgumentException>(() => trainer.Batch(new[] { "a", "b", "c" }, 2));
            Assert.Throws<ArgumentException>(() =>
                trainer.Batch(new[] { "a", "b" }, 1, new double?[3]));
            Assert.Equal(ErrorKind.Argument, Assert.Throws<ContrastiveException>(() =>
                trainer.Batch(new[] { ("alone", "in its batch") })).Kind);
            Assert.Equal(ErrorKind.State,
                Assert.Throws<ContrastiveException>(() => trainer.Step()).Kind);
            for (int i = 0; i < 3; ++i) Assert.True(trainer.Batch(Support.Pairs.Take(4)));
            Assert.False(trainer.Batch(Support.Pairs.Take(4)));
        }

        [Fact]
        public void ReadsFilesAndSaysWhereTheyAreWrong()
        {
            File.WriteAllText(folder_["pairs.tsv"], "one\ttwo\nthree\tfour\nfive\n");
            ContrastiveException wrong =
                Assert.Throws<ContrastiveException>(() => Dataset.Open(folder_["pairs.tsv"]));
            Assert.Equal(ErrorKind.Format, wrong.Kind);
            Assert.Contains("pairs.tsv:3", wrong.Message);
            using Dataset data = Dataset.Open(folder_["pairs.tsv"],
                Config.Empty.With("data.on_error", "skip"));
            Assert.Equal(2L, data.Count);
            Assert.Equal(ErrorKind.NotFound,
                Assert.Throws<ContrastiveException>(() => Dataset.Open(folder_["none.tsv"])).Kind);
        }

        [Fact]
        public void AnExampleMayHaveHardNegatives()
        {
            using var data = new Dataset();
            data.Add(new[] { "how do I reset it 🙂", "hold the button", "press the button", "" });
            data.Add(new List<string> { "where is it", "in the kitchen" }, 0.5);
            Assert.Equal(2L, data.Count);
            Assert.Equal(ErrorKind.Argument,
                Assert.Throws<ContrastiveException>(() => data.Add(new string[0])).Kind);
            Assert.Equal(ErrorKind.Argument, Assert.Throws<ContrastiveException>(() =>
                data.Add(new string[65].Select(text => "a"))).Kind);
            Assert.Contains("Text 1", Assert.Throws<ArgumentException>(() =>
                data.Add(new[] { "a", null!, "b" })).Message);
        }

        [Fact]
        public void EvaluatesATask()
        {
            File.WriteAllLines(folder_["sts.tsv"],
                Support.Pairs.Select((pair, i) => i * 0.5 + "\t" + pair.A + "\t" + pair.B));
            Report report = encoder_.Evaluate("sts", Config.Empty.With("data", folder_["sts.tsv"]));
            Assert.InRange(report.Number("spearman.all") ?? 2, -1.0, 1.0);
            Assert.Contains("\"spearman\"", report.ToJson());
            Assert.True(report.Number("spearmann") == null);
            Assert.Contains("sts", Assert.Throws<ContrastiveException>(() =>
                encoder_.Evaluate("stss", Config.Empty)).Message);
        }

        [TrainingFact]
        public void FiguresOfTasksArriveAmongTheMetrics()
        {
            File.WriteAllLines(folder_["sts.tsv"],
                Support.Pairs.Select((pair, i) => i * 0.5 + "\t" + pair.A + "\t" + pair.B));
            Config watched = Support.Training.With("evaluate.sts.data", folder_["sts.tsv"])
                .With("evaluate_every", 2);
            using var trainer = new Trainer(encoder_, data_, watched);
            trainer.Step();
            Assert.Null(trainer.Metric("sts.spearman.all"));
            trainer.Run();
            using SentenceEncoder trained = trainer.Model();
            double expected = trained.Evaluate("sts", Config.Empty.With("data", folder_["sts.tsv"]))
                .Number("spearman.all")!.Value;
            Assert.Equal(expected, trainer.Metric("sts.spearman.all"));
            Assert.Equal(expected, trainer.Metrics()["sts.spearman.all"]);
        }

        [TrainingFact]
        public void RanksOnThreadsTrainLikeOne()
        {
            Config one = Config.Empty.With("method", "mnrl").With("optimizer", "sgd")
                .With("lr", 0.1).With("batch_size", 8).With("max_steps", 2);
            using var alone = new Trainer(encoder_, data_, one);
            using var together = new Trainer(encoder_, data_,
                one.With("dist.mode", "threads").With("dist.devices", "cpu,cpu"));
            alone.Run();
            together.Run();
            Assert.Equal(2.0, together.Metric("ranks"));
            Assert.Equal(alone.Metric("loss")!.Value, together.Metric("loss")!.Value, 1e-5);
        }

        [TrainingFact]
        public void BatchesMayHaveHardNegatives()
        {
            Config mnrl = Config.Empty.With("method", "mnrl").With("max_steps", 4);
            double? loss = null;
            foreach (string negative in new[] { "a cat sleeps", "the engine of a car" })
            {
                using var trainer = new Trainer(encoder_, null, mnrl);
                string[] rows = { "the cat sat", "a cat sits", negative, "a dog runs",
                    "the dog ran", "" };
                Assert.True(trainer.Batch(rows, 3));
                Assert.NotEqual(loss, trainer.Metric("loss"));  // the negative counts
                loss = trainer.Metric("loss");
            }
        }

        [TrainingFact]
        public void ACancelledRunGoesOn()
        {
            using var trainer = new Trainer(encoder_, data_, Support.Training);
            using var source = new CancellationTokenSource();
            var stopper = new Stopper(source);
            Assert.Equal(source.Token, Assert.Throws<OperationCanceledException>(() =>
                trainer.Run(stopper, source.Token)).CancellationToken);
            Assert.Equal(2.0, trainer.Metric("step"));
            Assert.Throws<OperationCanceledException>(() => trainer.Step(source.Token));
            Assert.Throws<OperationCanceledException>(() =>
                trainer.Batch(new[] { "a", "b" }, source.Token));
            Assert.Equal(source.Token, Assert.Throws<OperationCanceledException>(() =>
                trainer.Evaluate(source.Token)).CancellationToken);
            trainer.Run();
            Assert.Equal(6.0, trainer.Metric("step"));
        }

        private sealed class Stopper : IProgress<TrainingProgress>
        {
            private readonly CancellationTokenSource source_;
            internal Stopper(CancellationTokenSource source) => source_ = source;
            public void Report(TrainingProgress value)
            {
                if (value.Step == 2) source_.Cancel();
            }
        }

        [TrainingFact]
        public void ATrainerIsForOneThreadAtATime()
        {
            using var trainer = new Trainer(encoder_, data_,
                Support.Training.With("max_steps", 100000));
            using var started = new ManualResetEventSlim();
            bool stop = false, busy = false;
            var other = new Thread(() =>
            {
                while (!Volatile.Read(ref stop))
                {
                    try
                    {
                        trainer.Step();
                    }
                    catch (ContrastiveException e) when (e.Kind == ErrorKind.Busy) { }
                    started.Set();
                }
            });
            other.Start();
            Assert.True(started.Wait(TimeSpan.FromMinutes(1)), "no step was made");
            for (int i = 0; i < 100000 && !busy; ++i)
            {
                try
                {
                    trainer.Step();
                }
                catch (ContrastiveException e) when (e.Kind == ErrorKind.Busy)
                {
                    busy = true;
                }
            }
            Volatile.Write(ref stop, true);
            other.Join();
            Assert.True(busy, "two threads stepped one trainer and neither was told");
        }

        [TrainingFact]
        public void ConfigsAreRefusedWhole()
        {
            Config misspelt = Support.Training.With("optimzer", "adamw");
            Trainer.Check(Support.Training);
            Assert.Contains("optimizer",
                Assert.Throws<ContrastiveException>(() => Trainer.Check(misspelt)).Message);
            Config deep = Config.Parse("{\"method\": \"sgopt\", \"sgopt.lmax\": 9}");
            string model = Support.Fixture("models/bert_st");
            Trainer.Check(deep);
            Trainer.Check(deep.With("sgopt.lmax", 2), model);
            Assert.Contains("sgopt.lmax",
                Assert.Throws<ContrastiveException>(() => Trainer.Check(deep, model)).Message);
            Config warmup =
                Config.Parse("{\"method\": \"simcse\", \"epochs\": 1, \"warmup_steps\": 1000}");
            Trainer.Check(warmup, null, model);
            Trainer.Check(warmup.With("warmup_steps", 1), data_, model);
            Assert.Contains("'warmup_steps'", Assert.Throws<ContrastiveException>(() =>
                Trainer.Check(warmup, data_, null)).Message);
            ContrastiveException refused =
                Assert.Throws<ContrastiveException>(() => new Trainer(encoder_, data_, misspelt));
            Assert.Equal(ErrorKind.Argument, refused.Kind);
            Assert.Contains("optimizer", refused.Message);
        }
    }
}
