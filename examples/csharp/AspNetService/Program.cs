// A service that embeds and searches over HTTP, and retrains its model while it serves.
//
//   AspNetService --Contrastive:ModelPath MODEL [--urls http://localhost:8080]
//
//   PUT  /documents   ["a text", ...]                     what to search
//   POST /search      {"text": "a question", "k": 3}      the most similar documents
//   POST /embed       {"texts": ["a text", ...]}          the vectors of texts
//   POST /retrain     [{"a": "a question", "b": "its answer"}, ...]
//                     returns at once, trains in the background, then swaps the model
//   GET  /status      the current model, and the error of the last training
//   GET  /healthz     200 while the model embeds
//
// Every answer has the id of the model that computed it. appsettings.json has the settings.
using System.Linq;
using System.Threading;
using Contrastive.Examples;
using Contrastive.Extensions.AI;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
IServiceCollection services = builder.Services;
services.ConfigureHttpJsonOptions(json =>
    json.SerializerOptions.TypeInfoResolverChain.Insert(0, ServiceJson.Default));
services.AddDistributedMemoryCache();  // several instances would share a Redis instead
services.AddContrastiveEmbeddingGenerator(builder.Configuration.GetSection("Contrastive"),
    (inner, provider) => inner.AsBuilder()
        .UseDistributedCache().UseOpenTelemetry().UseLogging().Build(provider));
services.AddHealthChecks().AddContrastiveEmbeddingGenerator();
services.AddSingleton<DocumentIndex>();
services.AddSingleton<Retraining>();
services.AddHostedService(provider => provider.GetRequiredService<Retraining>());

WebApplication app = builder.Build();
app.MapHealthChecks("/healthz");
app.MapPut("/documents", async (string[] texts, DocumentIndex index, CancellationToken stop) =>
    new ModelId(await index.ReplaceAsync(texts, stop)));
app.MapPost("/search", (Query query, DocumentIndex index, CancellationToken stop) =>
    index.SearchAsync(query, stop));
app.MapPost("/embed", async (Texts request,
    IEmbeddingGenerator<string, Embedding<float>> generator, CancellationToken stop) =>
{
    GeneratedEmbeddings<Embedding<float>> embeddings =
        await generator.GenerateAsync(request.Items, null, stop);
    return new Vectors(embeddings.FirstOrDefault()?.ModelId,
        embeddings.Select(embedding => embedding.Vector.ToArray()).ToArray());
});
app.MapPost("/retrain", (Pair[] pairs, Retraining retraining) =>
    retraining.TryStart(pairs) ? Results.Accepted("/status") : Results.Conflict());
app.MapGet("/status", (SwappableEncoder models, Retraining retraining) =>
    new Status(models.ModelId, retraining.Running, retraining.Error));
app.Run();
