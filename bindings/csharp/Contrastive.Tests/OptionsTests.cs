// The typed options of training runs and adaptations.
using System;
using System.Linq;
using System.Reflection;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class OptionsTests
    {
        [Fact]
        public void TypedOptionsAreTheSameAsKeys()
        {
            var options = new TrainOptions
            {
                Seed = 7,
                LearningRate = 0.5,
                Schedule = LearningRateSchedule.WarmupLinear,
                Optimizer = TrainingOptimizer.AdamwHf,
                MaxSteps = 0,
                GradientCheckpointing = false,
                MaxLength = 64,
                MatryoshkaDims = new[] { 384, 128 },
                Dev = "dev.tsv",
            };
            Config expected = Config.Empty.With("method", "mnrl").With("seed", 7).With("lr", 0.5)
                .With("schedule", "warmup-linear").With("optimizer", "adamw-hf")
                .With("max_steps", 0).With("gradient_checkpointing", false)
                .With("mnrl.max_length", 64).With("matryoshka.dims", new[] { 384, 128 })
                .With("dev", "dev.tsv");
            Assert.Equal(expected.ToJson(), options.ToConfig().ToJson());
            options = new TrainOptions
            {
                Method = TrainingMethod.Simcse, MaxLength = 64, Temperature = 0.5
            };
            Config config = options;
            Assert.Equal("{\"method\":\"simcse\",\"simcse.max_length\":64," +
                "\"simcse.temperature\":0.5}", config.ToJson());
            Assert.Equal(
                "{\"method\":\"mnrl\",\"metric\":\"ndcg@10\",\"mining.num_negatives\":2}",
                new AdaptOptions { Metric = SearchMetric.NdcgAt10, NumNegatives = 2 }.ToConfig()
                    .ToJson());
            Assert.Equal("{\"method\":\"mnrl\"}", new TrainOptions().ToConfig().ToJson());
        }

        [Fact]
        public void WrongValuesAreRefused()
        {
            Assert.Throws<ArgumentException>(() =>
                new TrainOptions { LearningRate = double.NaN }.ToConfig());
            ArgumentException wrong = Assert.Throws<ArgumentException>(() =>
                new TrainOptions { Method = (TrainingMethod)99 }.ToConfig());
            Assert.Contains("TrainingMethod 99", wrong.Message);
            Assert.Throws<ArgumentNullException>(() => (Config)(TrainOptions)null!);
        }

        [Fact]
        public void EveryOptionHasAKeyOfItsOwn()
        {
            foreach (object options in new object[] { new TrainOptions(), new AdaptOptions() })
            {
                PropertyInfo[] properties = options.GetType().GetProperties();
                foreach (PropertyInfo property in properties)
                    property.SetValue(options, Sample(property.PropertyType));
                var config = (Config)options.GetType().GetMethod("ToConfig")!
                    .Invoke(options, null)!;
                Assert.True(properties.Length > 20, "there are " + properties.Length + " options");
                Assert.Equal(properties.Length,
                    Interop.Json.Parse(config.ToJson()).Elements().Count());
            }
        }

        private static object Sample(Type type)
        {
            type = Nullable.GetUnderlyingType(type) ?? type;
            if (type.IsEnum) return Enum.GetValues(type).GetValue(0)!;
            if (type == typeof(string)) return "a";
            if (type == typeof(bool)) return true;
            if (type == typeof(double)) return 0.5;
            if (type == typeof(int)) return 1;
            if (type == typeof(long)) return 1L;
            return new[] { 8 };
        }
    }
}
