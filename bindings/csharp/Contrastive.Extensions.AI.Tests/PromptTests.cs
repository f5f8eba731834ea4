// Options of requests: prompts above all.
using System;
using System.Text.Json;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class PromptTests : IDisposable
    {
        private readonly ChangedModel model_ = ChangedModel.WithPrompts();
        private readonly SentenceEncoder encoder_;

        public PromptTests() => encoder_ = SentenceEncoder.Load(model_.Path);

        public void Dispose()
        {
            encoder_.Dispose();
            model_.Dispose();
        }

        private ContrastiveEmbeddingGenerator Generator(EncodeOptions? defaults = null) =>
            new ContrastiveEmbeddingGenerator(encoder_, null,
                new ContrastiveEmbeddingGeneratorOptions
                {
                    Encode = defaults ?? new EncodeOptions()
                });

        private async Task Expect(EncodeOptions expected, EncodeOptions? defaults,
            EmbeddingGenerationOptions? request)
        {
            ReadOnlyMemory<float> vector =
                await Generator(defaults).GenerateVectorAsync("where is it?", request);
            Assert.Equal(encoder_.Encode("where is it?", expected), vector.ToArray());
        }

        private static EncodeOptions Named(string? name) =>
            new EncodeOptions { PromptName = name };

        private static EmbeddingGenerationOptions Property(string name, object value) =>
            new EmbeddingGenerationOptions
            {
                AdditionalProperties = new AdditionalPropertiesDictionary { [name] = value }
            };

        [Fact]
        public void ThePromptsOfTheModelMatter()
        {
            float[] query = encoder_.Encode("where is it?", Named("query"));
            Assert.NotEqual(query, encoder_.Encode("where is it?"));
            Assert.NotEqual(query, encoder_.Encode("where is it?", Named("document")));
        }

        [Fact]
        public async Task DefaultsAreUsed()
        {
            await Expect(Named("document"), Named("document"), null);
            await Expect(Named("document"), Named("document"), new EmbeddingGenerationOptions());
            await Expect(new EncodeOptions { Normalize = false, TruncateDimension = 8 },
                new EncodeOptions { Normalize = false, TruncateDimension = 8 }, null);
        }

        [Fact]
        public async Task DefaultsAreCopied()
        {
            EncodeOptions defaults = Named("document");
            ContrastiveEmbeddingGenerator generator = Generator(defaults);
            defaults.PromptName = "query";
            Assert.Equal(encoder_.Encode("where is it?", Named("document")),
                (await generator.GenerateVectorAsync("where is it?")).ToArray());
        }

        [Fact]
        public async Task ARawRepresentationIsHonoured()
        {
            IEmbeddingGenerator? asked = null;
            var request = new EmbeddingGenerationOptions
            {
                RawRepresentationFactory = generator =>
                {
                    asked = generator;
                    return Named("query");
                }
            };
            await Expect(Named("query"), Named("document"), request);
            Assert.IsType<ContrastiveEmbeddingGenerator>(asked);
            // What it does not set is taken from the defaults.
            await Expect(new EncodeOptions { PromptName = "query", Normalize = false },
                new EncodeOptions { PromptName = "document", Normalize = false }, request);
            await Expect(Named("document"), Named("document"),
                new EmbeddingGenerationOptions { RawRepresentationFactory = _ => null });
            ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() =>
                Generator().GenerateAsync("a text",
                    new EmbeddingGenerationOptions { RawRepresentationFactory = _ => "query" }));
            Assert.Contains("System.String", error.Message);
            Assert.Contains(nameof(EncodeOptions), error.Message);
        }

        [Fact]
        public async Task AdditionalPropertiesAreHonoured()
        {
            foreach (string name in new[] { "prompt_name", "promptName", "PromptName" })
                await Expect(Named("query"), Named("document"), Property(name, "query"));
            JsonElement json = JsonDocument.Parse("[\"query\", true, 4]").RootElement;
            await Expect(Named("query"), null, Property("prompt_name", json[0]));
            await Expect(new EncodeOptions { Normalize = true },
                new EncodeOptions { Normalize = false }, Property("normalize", json[1]));
            await Expect(new EncodeOptions { MaxLength = 4 }, null,
                Property("max_length", json[2]));
            await Expect(new EncodeOptions { Pooling = "cls" }, null, Property("pooling", "cls"));
            await Expect(new EncodeOptions { Prompt = "" }, Named("document"),
                Property("prompt", ""));
            await Expect(new EncodeOptions(), null, Property("user", 17));
        }

        [Fact]
        public async Task ARequestMadeOfEncodeOptionsIsTheSame()
        {
            var options = new EncodeOptions
            {
                PromptName = "query", Normalize = false, Pooling = "max", TruncateDimension = 12,
                MaxLength = 5, BatchTokens = 64
            };
            await Expect(options, Named("document"), options.ToGenerationOptions());
            var prompt = new EncodeOptions { Prompt = "the cat: " };
            await Expect(prompt, Named("document"), prompt.ToGenerationOptions());
            await Expect(Named("document"), Named("document"),
                new EncodeOptions().ToGenerationOptions());
        }

        [Fact]
        public async Task DimensionsOfTheRequestCountMost()
        {
            EmbeddingGenerationOptions request =
                new EncodeOptions { TruncateDimension = 16 }.ToGenerationOptions();
            request.Dimensions = 4;
            await Expect(new EncodeOptions { TruncateDimension = 4 }, null, request);
        }

        [Fact]
        public async Task WrongOptionsAreErrors()
        {
            ContrastiveException error = await Assert.ThrowsAsync<ContrastiveException>(() =>
                Generator().GenerateAsync("a text", Property("prompt_name", "qeury")));
            Assert.Contains("qeury", error.Message);
            foreach ((string name, object value) in new (string, object)[] {
                ("normalize", "perhaps"), ("max_length", -1), ("batch_tokens", "many") })
            {
                ArgumentException wrong = await Assert.ThrowsAsync<ArgumentException>(() =>
                    Generator().GenerateAsync("a text", Property(name, value)));
                Assert.Contains("'" + name + "'", wrong.Message);
            }
        }
    }
}
