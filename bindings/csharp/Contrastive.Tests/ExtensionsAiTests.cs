// The embedding generator of Microsoft.Extensions.AI.
using System;
using System.Linq;
using System.Threading;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.AI;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ExtensionsAiTests
    {
        [Fact]
        public void AnEncoderIsAnEmbeddingGenerator()
        {
            SentenceEncoder encoder = Support.Tiny();
            using IEmbeddingGenerator<string, Embedding<float>> generator =
                new ContrastiveEmbeddingGenerator(encoder, "tiny");
            string[] texts = { "the cat sat", "a dog 🙂" };
            GeneratedEmbeddings<Embedding<float>> generated = generator.GenerateAsync(texts)
                .GetAwaiter().GetResult();
            Embeddings expected = encoder.Encode(texts);
            Assert.Equal(2, generated.Count);
            for (int i = 0; i < 2; ++i)
                Assert.Equal(expected[i].ToArray(), generated[i].Vector.ToArray());
            Assert.Equal("tiny", generated[0].ModelId);
            Assert.Equal((long)expected.TokenCounts.ToArray().Sum(),
                generated.Usage!.InputTokenCount!.Value);
            var options = new EmbeddingGenerationOptions { Dimensions = 8 };
            Assert.Equal(8,
                generator.GenerateAsync(texts, options).GetAwaiter().GetResult()[1].Vector.Length);
            Assert.Throws<System.Threading.Tasks.TaskCanceledException>(() =>
                generator.GenerateAsync(texts, null, new CancellationToken(true)).GetAwaiter()
                .GetResult());
            Assert.Throws<ArgumentException>(() => generator.GenerateAsync(texts,
                new EmbeddingGenerationOptions { ModelId = "huge" }).GetAwaiter().GetResult());
            Assert.Equal<int?>(32, ((EmbeddingGeneratorMetadata)generator.GetService(
                typeof(EmbeddingGeneratorMetadata))!).DefaultModelDimensions);
            Assert.Same(encoder, generator.GetService(typeof(SentenceEncoder))!);
            Assert.Same(generator, generator.GetService(typeof(IEmbeddingGenerator))!);
            Assert.True(generator.GetService(typeof(string)) == null);
        }
    }
}
