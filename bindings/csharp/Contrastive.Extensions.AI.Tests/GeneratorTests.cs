// The generator as Microsoft.Extensions.AI defines one.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.AI;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class GeneratorTests
    {
        [Fact]
        public async Task AnEncoderIsAnEmbeddingGenerator()
        {
            SentenceEncoder encoder = Support.Tiny();
            using IEmbeddingGenerator<string, Embedding<float>> generator =
                new ContrastiveEmbeddingGenerator(encoder, "tiny");
            GeneratedEmbeddings<Embedding<float>> generated =
                await generator.GenerateAsync(Support.Texts);
            Embeddings expected = encoder.Encode(Support.Texts);
            Assert.Equal(2, generated.Count);
            for (int i = 0; i < 2; ++i)
                Assert.Equal(expected[i].ToArray(), generated[i].Vector.ToArray());
            long tokens = expected.TokenCounts.ToArray().Sum();
            Assert.Equal(tokens, generated.Usage!.InputTokenCount);
            Assert.Equal(tokens, generated.Usage.TotalTokenCount);
            Assert.NotNull(generated[1].CreatedAt);
            Assert.StartsWith("tiny@" + encoder.Info().Fingerprint.Substring(0, 12),
                generated[0].ModelId);
            Assert.Empty(await generator.GenerateAsync(Array.Empty<string>()));
        }

        [Fact]
        public async Task ARequestChoosesDimensionsAndModel()
        {
            using var generator = new ContrastiveEmbeddingGenerator(Support.Tiny(), "tiny");
            string modelId = generator.GetRequiredService<SwappableEncoder>().ModelId;
            foreach (string? known in new[] { null, "tiny", modelId })
            {
                var options = new EmbeddingGenerationOptions { Dimensions = 8, ModelId = known };
                Assert.Equal(8, (await generator.GenerateVectorAsync("a text", options)).Length);
            }
            ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() =>
                generator.GenerateAsync(Support.Texts,
                    new EmbeddingGenerationOptions { ModelId = "huge" }));
            Assert.Contains("'huge'", error.Message);
            Assert.Contains(modelId, error.Message);
            await Assert.ThrowsAsync<ContrastiveException>(() => generator.GenerateAsync(
                Support.Texts, new EmbeddingGenerationOptions { Dimensions = 64 }));
        }

        [Fact]
        public async Task ACancelledRequestDoesNotRun()
        {
            using var generator = new ContrastiveEmbeddingGenerator(Support.Tiny());
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
                generator.GenerateAsync(Support.Texts, null, new CancellationToken(true)));
            await Assert.ThrowsAsync<ArgumentNullException>(() =>
                generator.GenerateAsync((string[])null!));
            Assert.Equal(0, generator.RunningCalls + generator.WaitingCalls);
        }

        [Fact]
        public async Task ServicesAreFound()
        {
            SentenceEncoder encoder = Support.Tiny();
            var generator = new ContrastiveEmbeddingGenerator(encoder, "tiny",
                new ContrastiveEmbeddingGeneratorOptions
                {
                    Encode = new EncodeOptions { TruncateDimension = 16 }
                });
            var metadata = generator.GetRequiredService<EmbeddingGeneratorMetadata>();
            Assert.Equal("contrastive", metadata.ProviderName);
            Assert.Equal(generator.GetRequiredService<SwappableEncoder>().ModelId,
                metadata.DefaultModelId);
            Assert.Equal(16, metadata.DefaultModelDimensions);
            Assert.Same(encoder, generator.GetService(typeof(SentenceEncoder)));
            Assert.Same(generator, generator.GetService(typeof(IEmbeddingGenerator)));
            Assert.Null(generator.GetService(typeof(string)));
            Assert.Null(generator.GetService(typeof(SentenceEncoder), "a key"));
            generator.Dispose();
            generator.Dispose();
            await Assert.ThrowsAsync<ObjectDisposedException>(() =>
                generator.GenerateAsync(Support.Texts));
            Assert.Throws<ObjectDisposedException>(() => encoder.Encode("a text"));
        }
    }
}
