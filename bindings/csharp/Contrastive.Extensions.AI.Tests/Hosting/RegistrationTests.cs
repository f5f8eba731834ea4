// Generators as services, with options from configuration that are checked at the start.
using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    using Generator = IEmbeddingGenerator<string, Embedding<float>>;

    public sealed class RegistrationTests
    {
        private static WebApplicationBuilder Configured(params (string, string)[] settings)
        {
            WebApplicationBuilder builder = TestHost.Builder(null, settings);
            builder.Services.AddContrastiveEmbeddingGenerator(
                builder.Configuration.GetSection("Contrastive"));
            return builder;
        }

        [Fact]
        public async Task AConfiguredGeneratorIsAService()
        {
            long handles = Library.LiveHandles;
            using ChangedModel model = ChangedModel.WithPrompts();
            await using (WebApplication app = Configured(
                ("Contrastive:ModelPath", model.Path + "/"),
                ("Contrastive:MaxConcurrentCalls", "3"),
                ("Contrastive:Model:precision", "float32"),
                ("Contrastive:Model:invalid_utf8", "error"),
                ("Contrastive:Encode:PromptName", "query"),
                ("Contrastive:Encode:Normalize", "False"),
                ("Contrastive:Encode:TruncateDimension", "16")).Build())
            {
                await app.StartAsync();
                var options = app.Services
                    .GetRequiredService<IOptions<ContrastiveEmbeddingGeneratorOptions>>().Value;
                Assert.Equal(3, options.MaxConcurrentCalls);
                var generator = app.Services.GetRequiredService<Generator>();
                using SentenceEncoder encoder = SentenceEncoder.Load(model.Path);
                Assert.Equal(encoder.Encode("where is it?", new EncodeOptions
                {
                    PromptName = "query", Normalize = false, TruncateDimension = 16
                }), (await generator.GenerateVectorAsync("where is it?")).ToArray());
                Assert.Same(generator, app.Services.GetRequiredService<Generator>());
                Assert.Same(generator, app.Services.GetRequiredService<IEmbeddingGenerator>());
                Assert.Same(app.Services.GetRequiredService<SwappableEncoder>(),
                    generator.GetService<SwappableEncoder>());
                Assert.Same(app.Services.GetRequiredService<ContrastiveEmbeddingGenerator>(),
                    generator.GetService<ContrastiveEmbeddingGenerator>());
                Assert.StartsWith("changed@", generator.GetService<EmbeddingGeneratorMetadata>()!
                    .DefaultModelId);
                // The keys of the model reached the library.
                await Assert.ThrowsAsync<ContrastiveException>(() =>
                    generator.GenerateAsync("\ud800"));
            }
            Assert.Equal(handles, Library.LiveHandles);
        }

        [Fact]
        public async Task AGeneratorWithoutAHostIsLoadedWhenItIsNeeded()
        {
            var services = new ServiceCollection();
            services.AddContrastiveEmbeddingGenerator(options =>
            {
                options.ModelPath = Support.Model;
                options.ModelName = "tiny";
            });
            await using ServiceProvider provider = services.BuildServiceProvider(true);
            Embedding<float> embedding =
                await provider.GetRequiredService<Generator>().GenerateAsync("a text");
            Assert.StartsWith("tiny@", embedding.ModelId);
        }

        [Fact]
        public async Task SeveralGeneratorsHaveKeys()
        {
            using ChangedModel other = ChangedModel.WithOtherWeights();
            WebApplicationBuilder builder = TestHost.Builder(null,
                ("First:ModelPath", Support.Model), ("Second:ModelPath", other.Path));
            builder.Services.AddKeyedContrastiveEmbeddingGenerator("first",
                builder.Configuration.GetSection("First"));
            builder.Services.AddKeyedContrastiveEmbeddingGenerator("second",
                builder.Configuration.GetSection("Second"));
            builder.Services.AddContrastiveEmbeddingGenerator(options =>
                options.ModelPath = Support.Model);
            await using WebApplication app = builder.Build();
            await app.StartAsync();
            float[][] vectors = await Task.WhenAll(new[] { "first", "second", null }.Select(
                async key => (await app.Services.GetRequiredKeyedService<Generator>(key)
                    .GenerateVectorAsync("a text")).ToArray()));
            Assert.NotEqual(vectors[0], vectors[1]);
            Assert.Equal(vectors[0], vectors[2]);
        }

        [Fact]
        public async Task TheBuilderOfTheOptionsTakesMore()
        {
            WebApplicationBuilder builder = TestHost.Builder();
            builder.Services.AddContrastiveEmbeddingGenerator(_ => { })
                .Configure(options => options.ModelPath = Support.Model)
                .Validate(options => options.ModelName != null, "our models have names");
            Exception failure = await TestHost.Failure(builder);
            Assert.Contains("our models have names",
                Assert.IsType<OptionsValidationException>(failure).Message);
        }

        [Theory]
        [InlineData("ModelPath is missing", "")]
        [InlineData("there is no folder /no/such/model", "ModelPath=/no/such/model")]
        [InlineData("MaxConcurrentCalls must be at least 1, not 0",
            "ModelPath=MODEL MaxConcurrentCalls=0")]
        [InlineData("has a Prompt and a PromptName",
            "ModelPath=MODEL Encode:Prompt=a Encode:PromptName=query")]
        [InlineData("no such prompt", "ModelPath=MODEL Encode:PromptName=no+such+prompt")]
        [InlineData("pooling", "ModelPath=MODEL Encode:Pooling=average")]
        public async Task WrongOptionsStopTheStart(string message, string settings)
        {
            (string, string)[] pairs = settings.Split(' ', StringSplitOptions.RemoveEmptyEntries)
                .Select(setting => setting.Replace('+', ' ').Replace("MODEL", Support.Model)
                    .Split('=', 2))
                .Select(pair => ("Contrastive:" + pair[0], pair[1])).ToArray();
            Exception failure = await TestHost.Failure(Configured(pairs));
            Assert.Contains(message, Assert.IsType<OptionsValidationException>(failure).Message);
        }

        [Fact]
        public async Task UnknownKeysAndMalformedValuesStopTheStart()
        {
            Exception failure = await TestHost.Failure(Configured(
                ("Contrastive:ModelPath", Support.Model),
                ("Contrastive:MaxConcurentCalls", "2")));
            Assert.Contains("MaxConcurentCalls", failure.ToString());
            failure = await TestHost.Failure(Configured(
                ("Contrastive:ModelPath", Support.Model),
                ("Contrastive:MaxConcurrentCalls", "two")));
            Assert.Contains("Contrastive:MaxConcurrentCalls", failure.ToString());
            failure = await TestHost.Failure(Configured(
                ("Contrastive:ModelPath", Support.Model),
                ("Contrastive:Model:precison", "float16")));
            Assert.Contains("precision", Assert.IsType<ContrastiveException>(failure).Message);
        }

        [Fact]
        public async Task AModelThatCannotBeReadStopsTheStart()
        {
            using var model = new ChangedModel();
            File.Delete(Path.Combine(model.Path, "model.safetensors"));
            Exception failure = await TestHost.Failure(
                Configured(("Contrastive:ModelPath", model.Path)));
            Assert.Contains("model.safetensors",
                Assert.IsType<ContrastiveException>(failure).Message);
        }
    }
}
