// What the tests share: small models, and folders for changed copies of them.
using System;
using System.IO;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

// Handles are counted for the whole process, so tests cannot run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Contrastive.Extensions.AI.Tests
{
    internal static class Support
    {
        internal static readonly string[] Texts = { "the cat sat", "a dog 🙂" };

        internal static string Root { get; } = FindRoot();

        /// <summary>The folder of a tiny model with 32 dimensions.</summary>
        internal static string Model { get; } =
            Path.Combine(Root, "tests", "fixtures", "models", "bert_st");

        internal static SentenceEncoder Tiny() => SentenceEncoder.Load(Model);

        /// <summary>Waits until a condition holds.</summary>
        internal static async Task Until(Func<bool> condition, string what)
        {
            for (int i = 0; i < 600 && !condition(); ++i) await Task.Delay(50);
            Assert.True(condition(), what);
        }

        private static string FindRoot()
        {
            string? folder = AppContext.BaseDirectory;
            while (folder != null && !Directory.Exists(Path.Combine(folder, "tests", "fixtures")))
                folder = Path.GetDirectoryName(folder);
            return folder ?? throw new InvalidOperationException(
                "tests/fixtures is in no folder above " + AppContext.BaseDirectory);
        }
    }

    /// <summary>A changed copy of the tiny model.</summary>
    internal sealed class ChangedModel : IDisposable
    {
        internal ChangedModel()
        {
            foreach (string file in Directory.GetFiles(Support.Model, "*",
                SearchOption.AllDirectories))
            {
                string copy = System.IO.Path.Combine(Path,
                    System.IO.Path.GetRelativePath(Support.Model, file));
                Directory.CreateDirectory(System.IO.Path.GetDirectoryName(copy)!);
                File.Copy(file, copy);
            }
        }

        internal string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(),
            "contrastive-" + Guid.NewGuid().ToString("N"), "changed");

        /// <summary>Gives the model prompts, none of which is empty.</summary>
        internal static ChangedModel WithPrompts()
        {
            var model = new ChangedModel();
            string file = System.IO.Path.Combine(model.Path, "config_sentence_transformers.json");
            JsonNode config = JsonNode.Parse(File.ReadAllText(file))!;
            config["prompts"] = new JsonObject
            {
                ["query"] = "the question: ",
                ["document"] = "the answer: "
            };
            File.WriteAllText(file, config.ToJsonString());
            return model;
        }

        /// <summary>Gives the model other weights: the signs of some differ.</summary>
        internal static ChangedModel WithOtherWeights(int seed = 1)
        {
            var model = new ChangedModel();
            string file = System.IO.Path.Combine(model.Path, "model.safetensors");
            byte[] bytes = File.ReadAllBytes(file);
            int start = 8 + (int)BitConverter.ToInt64(bytes, 0);
            var random = new Random(seed);
            for (int i = start + 3; i < bytes.Length; i += 4)
                if (random.Next(4) == 0) bytes[i] ^= 0x80;
            File.WriteAllBytes(file, bytes);
            return model;
        }

        public void Dispose() => Directory.Delete(Directory.GetParent(Path)!.FullName, true);
    }
}
