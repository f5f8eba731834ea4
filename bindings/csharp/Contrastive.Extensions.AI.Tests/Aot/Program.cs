// Everything that a service uses, in a program that is compiled to native code.
//
//   Aot MODEL OTHER_MODEL
using System;
using System.Collections.Generic;
using System.Linq;
using Contrastive;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(
    new Dictionary<string, string?>
    {
        ["Contrastive:ModelPath"] = args[0],
        ["Contrastive:ModelName"] = "search",
        ["Contrastive:MaxConcurrentCalls"] = "2",
        ["Contrastive:Model:precision"] = "float32",
        ["Contrastive:Encode:TruncateDimension"] = "16"
    }).Build();
var services = new ServiceCollection();
services.AddLogging();
services.AddDistributedMemoryCache();
services.AddContrastiveEmbeddingGenerator(configuration.GetSection("Contrastive"),
    (inner, provider) => inner.AsBuilder().UseDistributedCache().UseOpenTelemetry().UseLogging()
        .Build(provider));
services.AddHealthChecks().AddContrastiveEmbeddingGenerator();
await using ServiceProvider provider = services.BuildServiceProvider();

var generator = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
var models = provider.GetRequiredService<SwappableEncoder>();
using SentenceEncoder first = SentenceEncoder.Load(args[0]),
    second = SentenceEncoder.Load(args[1]);
var options = new EncodeOptions { TruncateDimension = 16 };
void Expect(SentenceEncoder encoder, Embedding<float> embedding)
{
    if (!encoder.Encode("a text", options).SequenceEqual(embedding.Vector.ToArray()))
        throw new InvalidOperationException("the vector is another model's");
}
for (int i = 0; i < 2; ++i) Expect(first, await generator.GenerateAsync("a text"));  // then cached
models.Swap(SentenceEncoder.Load(args[1]));
Expect(second, await generator.GenerateAsync("a text"));
HealthReport report = await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync();
Console.WriteLine("{0}, {1} by {2}", report.Status, models.ModelId,
    provider.GetRequiredService<IOptions<ContrastiveEmbeddingGeneratorOptions>>().Value
        .MaxConcurrentCalls);
