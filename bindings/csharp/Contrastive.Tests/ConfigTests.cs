// Configs, the description of keys, and what the library tells about itself.
using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ConfigTests
    {
        [Fact]
        public void AConfigIsAValue()
        {
            Config one = Config.Parse("{\"clsr\": {\"temperature\": 0.1}}"),
                two = one.With("clsr.temperature", 0.2).With("method", "clsr");
            Assert.Equal("{\"clsr.temperature\":0.1}", one.ToJson());
            Assert.Equal("{\"clsr.temperature\":0.2,\"method\":\"clsr\"}", two.ToJson());
            Assert.Equal(two.ToJson(), one.With(two).ToJson());
            Config three = Config.Empty.With("a", 3).With("b", true).With("c", new[] { 1, 2 })
                .With("d", "lärs 🙂").With("e", 0.1);
            Assert.Equal(
                "{\"a\":3,\"b\":true,\"c\":[1,2],\"d\":\"l\\u00e4rs \\ud83d\\ude42\",\"e\":0.1}",
                three.ToJson());
            foreach (string text in new[] { "2026", "1.10", "true", "null", "[1,2]", "{\"a\":1}",
                "\"7\"", "a\\\n" })
                Assert.Equal(text, Interop.Json.Text(
                    Interop.Json.Parse(Config.Empty.With("x", text).ToJson()), "x"));
            Assert.Equal("{\"x\":[\"1.10\",\"b\"]}",
                Config.Empty.With("x", new List<string> { "1.10", "b" }).ToJson());
            Assert.Equal("{\"x\":\"y\"}", Config.Empty.With("x", 'y').ToJson());
            Assert.Equal("{\"x\":3,\"y\":\"lars\"}",
                Config.Empty.WithTyped("x", "3").WithTyped("y", "lars").ToJson());
            Assert.Throws<ArgumentException>(() => Config.Empty.With("x", double.NaN));
            Assert.Throws<ArgumentException>(() =>
                Config.Empty.With("x", new object[] { new object() }));
            Assert.Throws<ArgumentException>(() => Config.Empty.With("x", "a\0b"));
            ContrastiveException wrong =
                Assert.Throws<ContrastiveException>(() => Config.Parse("{\"a\": }"));
            Assert.Equal(ErrorKind.Format, wrong.Kind);
            Assert.Throws<ArgumentNullException>(() => Config.Parse(null!));
            Assert.Throws<ArgumentException>(() => Config.Empty.With("a\0b", 1));
        }

        [Fact]
        public void AConfigComesFromAConfiguration()
        {
            // As IConfiguration.AsEnumerable gives a section.
            var entries = new Dictionary<string, string?>
            {
                ["method"] = "mnrl", ["lr"] = "1e-5", ["mnrl"] = null, ["mnrl:scale"] = "30",
                ["mnrl.symmetric"] = "True", ["dev:0"] = "a.tsv", ["dev:1"] = "b \"c\".tsv",
                ["steps:10"] = "3", ["steps:9"] = "2"
            };
            Assert.Equal("{\"dev\":[\"a.tsv\",\"b \\\"c\\\".tsv\"],\"lr\":1e-05," +
                "\"method\":\"mnrl\",\"mnrl.scale\":30,\"mnrl.symmetric\":true," +
                "\"steps\":[2,3]}", Config.From(entries).ToJson());
            Assert.Throws<ArgumentNullException>(() => Config.From(null!));
        }

        [Fact]
        public void AConfigCrossesJson()
        {
            Config config = Config.Empty.With("method", "mnrl").With("lr", 0.1)
                .With("evaluate", new[] { "sts" });
            string json = System.Text.Json.JsonSerializer.Serialize(new { config });
            Assert.Equal("{\"config\":" + config.ToJson() + "}", json);
            Assert.Equal(config.ToJson(), System.Text.Json.JsonSerializer
                .Deserialize<Dictionary<string, Config>>(json)!["config"].ToJson());
            Assert.Throws<System.Text.Json.JsonException>(() =>
                System.Text.Json.JsonSerializer.Deserialize<Config>("[1]"));
        }

        /// <summary>The XML file that editors show describes public members only.</summary>
        [Fact]
        public void OnlyPublicMembersAreDocumented()
        {
            string file = System.IO.Path.ChangeExtension(typeof(Config).Assembly.Location, "xml");
            var types = typeof(Config).Assembly.GetExportedTypes()
                .Select(type => type.FullName!.Replace('+', '.')).ToList();
            string[] names = System.Xml.Linq.XDocument.Load(file).Descendants("member")
                .Select(member => (string)member.Attribute("name")!).ToArray();
            Assert.Contains("T:Contrastive.SentenceEncoder", names);
            foreach (string name in names)
            {
                string member = name.Substring(2).Split('(')[0];
                Assert.True(types.Contains(name[0] == 'T' ? member
                    : member.Substring(0, member.LastIndexOf('.')).Replace(".#ctor", "")), name);
                if (name[0] != 'F' && name[0] != 'P') continue;
                Type type = typeof(Config).Assembly.GetType(
                    member.Substring(0, member.LastIndexOf('.')))!;
                string last = member.Substring(member.LastIndexOf('.') + 1);
                Assert.True(type.GetMember(last).Length > 0, name);
            }
        }

        [TrainingFact]
        public void EveryKeyIsDescribed()
        {
            foreach (string topic in new[] { "model", "data", "train", "clsr", "sts" })
            {
                IReadOnlyList<ConfigKey> keys = Config.Describe(topic);
                Assert.True(keys.Count > 0, topic);
                Assert.True(keys.All(key => key.Key.Length > 0 && key.Type.Length > 0 &&
                    key.Help.Length > 0), topic);
            }
            ConfigKey temperature = Config.Describe("clsr")
                .Single(key => key.Key == "clsr.temperature");
            Assert.InRange(double.Parse(temperature.Default!,
                System.Globalization.CultureInfo.InvariantCulture), 1e-3, 10.0);
            Assert.Contains("clsr",
                Assert.Throws<ContrastiveException>(() => Config.Describe("clsrr")).Message);
            IReadOnlyDictionary<string, IReadOnlyList<ConfigKey>> all = Config.DescribeAll();
            foreach (string topic in new[] { "model", "train", "clsr", "sts" })
                Assert.True(all.ContainsKey(topic), "no " + topic);
            Assert.Equal(Config.Describe("clsr").Select(key => key.ToString()),
                all["clsr"].Select(key => key.ToString()));
        }

        /// <summary>Also where training is not installed.</summary>
        [Fact]
        public void AMisspeltTopicIsAnsweredWithTheTopics()
        {
            Assert.Contains(Config.Describe("model"), key => key.Key == "device");
            ContrastiveException failure =
                Assert.Throws<ContrastiveException>(() => Config.Describe("modle"));
            Assert.Equal(Support.NoTraining == null ? ErrorKind.Argument : ErrorKind.Unsupported,
                failure.Kind);
            Assert.Contains("model", failure.Message.Replace("modle", ""));
            if (Support.NoTraining == null) return;
            failure = Assert.Throws<ContrastiveException>(() => Config.Describe("train"));
            Assert.Contains("the topic 'train' is not one of model, ", failure.Message);
            Assert.Contains("training plugin", failure.Message);
        }

        [TrainingFact]
        public void TheLibraryTellsWhatItIs()
        {
            BuildInfo info = BuildInfo.Get();
            Assert.Equal(2, Library.Version.Count(character => character == '.'));
            Assert.Equal(0, BuildInfo.Get().AbiVersion);
            Assert.True(info.LibTorch?.Length > 0 && info.LibTorchPath?.Length > 0 &&
                info.Cpu.Length > 0 && info.Threads > 0);
            Assert.Null(info.LibTorchReason);
            Assert.Contains("libcontrastive.so", info.LibraryPath);
            Assert.Contains("\"cuda\"", info.Json);
        }

        [Fact]
        public void ThreadsAreSetForTheProcess()
        {
            int before = BuildInfo.Get().Threads;
            Library.SetThreads(1);
            Assert.Equal(1, BuildInfo.Get().Threads);
            Library.SetThreads(before);
            foreach (int wrong in new[] { -1, 0 })
                Assert.Equal("threads", Assert.Throws<ArgumentOutOfRangeException>(
                    () => Library.SetThreads(wrong)).ParamName);
        }

        [Fact]
        public void KindsHaveTheNumbersOfTheHeader()
        {
            Assert.Equal(new[] { -99, -18, -17, -16, -15, -14, -13, -12, -11,
                -10, -9, -8, -7, -6, -5, -4, -3, -2, -1 },
                Enum.GetValues(typeof(ErrorKind)).Cast<int>().OrderBy(value => value).ToArray());
            foreach (ErrorKind kind in (ErrorKind[])Enum.GetValues(typeof(ErrorKind)))
                Assert.Equal(kind.ToString().ToUpperInvariant(),
                    Contrastive.Interop.Native.cs_status_name((int)kind).Replace("_", ""));
        }
    }
}
