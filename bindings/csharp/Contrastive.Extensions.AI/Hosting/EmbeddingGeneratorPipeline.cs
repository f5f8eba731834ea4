// What a service puts around its generator.
using System;
using Microsoft.Extensions.AI;

namespace Contrastive.Extensions.AI
{
    /// <summary>Puts a cache, telemetry or other stages of Microsoft.Extensions.AI around a
    /// generator.</summary>
    /// <param name="inner">The generator.</param>
    /// <param name="services">The services of the program.</param>
    /// <returns>The generator with its stages, such as
    /// <c>inner.AsBuilder().UseDistributedCache().UseOpenTelemetry().Build(services)</c>.</returns>
    public delegate IEmbeddingGenerator<string, Embedding<float>> EmbeddingGeneratorPipeline(
        IEmbeddingGenerator<string, Embedding<float>> inner, IServiceProvider services);
}
