// The health check, alone and under load.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Xunit;
using Xunit.Abstractions;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class HealthTests(ITestOutputHelper output)
    {
        private static WebApplication Service(
            Action<ContrastiveEmbeddingGeneratorOptions> configure)
        {
            WebApplicationBuilder builder = TestHost.Builder();
            builder.Services.AddContrastiveEmbeddingGenerator(options =>
            {
                options.ModelPath = Support.Model;
                configure(options);
            });
            builder.Services.AddHealthChecks().AddContrastiveEmbeddingGenerator(tags: ["ready"]);
            WebApplication app = builder.Build();
            app.MapHealthChecks("/healthz");
            app.MapPost("/embed", async (HttpContext context,
                IEmbeddingGenerator<string, Embedding<float>> generator) =>
            {
                string[] texts = Enumerable.Range(0, 500).Select(i => "the cat sat on mat " + i)
                    .ToArray();
                GeneratedEmbeddings<Embedding<float>> embeddings =
                    await generator.GenerateAsync(texts, null, context.RequestAborted);
                await context.Response.WriteAsync(embeddings.Count.ToString());
            });
            return app;
        }

        private static async Task<HealthReportEntry> Check(WebApplication app) =>
            (await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync())
                .Entries["contrastive"];

        [Fact]
        public async Task AModelThatEmbedsIsHealthy()
        {
            await using WebApplication app = Service(_ => { });
            await app.StartAsync();
            using HttpClient client = TestHost.Client(app);
            Assert.Equal("Healthy", await client.GetStringAsync("/healthz"));
            HealthReportEntry entry = await Check(app);
            Assert.Equal(app.Services.GetRequiredService<SwappableEncoder>().ModelId,
                entry.Data["model"]);
            Assert.Equal(0, entry.Data["running_calls"]);
            Assert.Equal(0, entry.Data["waiting_calls"]);
            Assert.Contains("ready", entry.Tags);
        }

        [Fact]
        public async Task AModelThatDoesNotEmbedIsUnhealthy()
        {
            await using WebApplication app = Service(_ => { });
            await app.StartAsync();
            using HttpClient client = TestHost.Client(app);
            await app.Services.GetRequiredService<ContrastiveEmbeddingGenerator>()
                .GenerateAsync("a text");
            app.Services.GetRequiredService<SwappableEncoder>().Dispose();
            // One call succeeded since the last check.
            Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("/healthz")).StatusCode);
            Assert.Equal(HttpStatusCode.ServiceUnavailable,
                (await client.GetAsync("/healthz")).StatusCode);
            HealthReportEntry entry = await Check(app);
            Assert.Equal(HealthStatus.Unhealthy, entry.Status);
            Assert.IsType<ObjectDisposedException>(entry.Exception);
            Assert.Contains("does not embed", entry.Description);
        }

        [Fact]
        public async Task ClientsDoNotStarveTheHealthCheck()
        {
            await using WebApplication app = Service(options => options.MaxConcurrentCalls = 1);
            await app.StartAsync();
            using HttpClient client = TestHost.Client(app);
            using var stop = new CancellationTokenSource();
            int answers = 0;
            async Task Load()
            {
                while (!stop.IsCancellationRequested)
                {
                    using HttpResponseMessage answer = await client.PostAsync("/embed", null);
                    Assert.Equal("500", await answer.Content.ReadAsStringAsync());
                    Interlocked.Increment(ref answers);
                }
            }
            Task[] clients = Enumerable.Range(0, 64).Select(_ => Load()).ToArray();
            var generator = app.Services.GetRequiredService<ContrastiveEmbeddingGenerator>();
            await Support.Until(() => generator.WaitingCalls > 32, "the clients do not wait");
            var times = new List<double>();
            for (int i = 0; i < 100; ++i)
            {
                var watch = Stopwatch.StartNew();
                Assert.Equal("Healthy", await client.GetStringAsync("/healthz"));
                times.Add(watch.Elapsed.TotalMilliseconds);
            }
            Assert.True(generator.WaitingCalls > 32, "the clients no longer wait");
            var one = Stopwatch.StartNew();
            int before = Volatile.Read(ref answers);
            await Support.Until(() => Volatile.Read(ref answers) >= before + 64, "no answers");
            double wait = one.Elapsed.TotalMilliseconds;
            stop.Cancel();
            await Task.WhenAll(clients);
            times.Sort();
            output.WriteLine("/healthz: median {0:F1} ms, worst {1:F1} ms; 64 answers: {2:F0} ms",
                times[50], times[^1], wait);
            // A check that waited in the same queue would take as long as 64 answers.
            Assert.True(times[50] < wait / 4, "the median of the health check is " + times[50] +
                " ms; 64 answers took " + wait + " ms");
        }
    }
}
