// examples/csharp/AspNetService as a process, called over HTTP.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Json;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    /// <summary>A test that trains. It is skipped where LibTorch is missing.</summary>
    internal sealed class TrainingFactAttribute : FactAttribute
    {
        public TrainingFactAttribute()
        {
            BuildInfo info = BuildInfo.Get();
            if (string.IsNullOrEmpty(info.LibTorch))
                Skip = "it trains, and LibTorch is missing: " + info.LibTorchReason;
        }
    }

    /// <summary>The example, started on a free port.</summary>
    internal sealed class ServiceProcess : IDisposable
    {
        private readonly Process process_;
        private readonly ConcurrentQueue<string> lines_ = new ConcurrentQueue<string>();
        private readonly TaskCompletionSource<Uri> address_ = new TaskCompletionSource<Uri>();

        internal ServiceProcess(params string[] arguments)
        {
            string folder = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..",
                "AspNetService", "net10.0"));
            var start = new ProcessStartInfo(Environment.ProcessPath!)
            {
                WorkingDirectory = folder,
                RedirectStandardOutput = true,
                RedirectStandardError = true
            };
            foreach (string argument in new[] { "exec", Path.Combine(folder, "AspNetService.dll"),
                "--urls", "http://127.0.0.1:0" }.Concat(arguments))
                start.ArgumentList.Add(argument);
            process_ = new Process { StartInfo = start };
            process_.OutputDataReceived += (_, line) => Read(line.Data);
            process_.ErrorDataReceived += (_, line) => Read(line.Data);
            process_.Start();
            process_.BeginOutputReadLine();
            process_.BeginErrorReadLine();
        }

        private void Read(string? line)
        {
            const string Listening = "Now listening on: ";
            if (line == null) return;
            lines_.Enqueue(line);
            int at = line.IndexOf(Listening, StringComparison.Ordinal);
            if (at >= 0) address_.TrySetResult(new Uri(line.Substring(at + Listening.Length)));
        }

        /// <summary>What the process has written.</summary>
        internal string Output => string.Join("\n", lines_);

        internal async Task<HttpClient> Client()
        {
            Task ended = process_.WaitForExitAsync();
            Task first = await Task.WhenAny(address_.Task, ended, Task.Delay(180000));
            Assert.True(first == address_.Task, "the service does not listen: " + Output);
            return new HttpClient
            {
                BaseAddress = await address_.Task, Timeout = TimeSpan.FromMinutes(3)
            };
        }

        /// <summary>Waits for the process. Returns its exit status.</summary>
        internal async Task<int> End()
        {
            using var limit = new CancellationTokenSource(180000);
            await process_.WaitForExitAsync(limit.Token);
            return process_.ExitCode;
        }

        /// <summary>Stops it as a service manager does.</summary>
        internal Task<int> Stop()
        {
            Process.Start("kill", "-TERM " + process_.Id).WaitForExit();
            return End();
        }

        public void Dispose()
        {
            if (!process_.HasExited) process_.Kill();
            process_.Dispose();
        }
    }

    public sealed class AspNetServiceTests
    {
        private static readonly string[] Documents =
        {
            "the cat sat on the mat", "a dog runs in the park", "two birds fly",
            "the old house is red", "she eats fish"
        };

        private static async Task<JsonNode> Read(HttpResponseMessage answer)
        {
            string text = await answer.Content.ReadAsStringAsync();
            Assert.True(answer.IsSuccessStatusCode, (int)answer.StatusCode + " " + text);
            return JsonNode.Parse(text)!;
        }

        private static async Task<JsonNode> Search(HttpClient client, string text) =>
            await Read(await client.PostAsJsonAsync("/search",
                new Dictionary<string, object> { ["text"] = text, ["k"] = 2 }));

        private static async Task<JsonNode> Status(HttpClient client) =>
            JsonNode.Parse(await client.GetStringAsync("/status"))!;

        [Fact]
        public async Task TheServiceEmbedsAndSearches()
        {
            using ChangedModel model = ChangedModel.WithPrompts();
            using SentenceEncoder encoder = SentenceEncoder.Load(model.Path);
            using var service = new ServiceProcess("--Contrastive:ModelPath", model.Path,
                "--Contrastive:Encode:PromptName", "document",
                "--Search:QueryPrompt", "the question: ");
            using HttpClient client = await service.Client();
            Assert.Equal("Healthy", await client.GetStringAsync("/healthz"));
            string id = (string)(await Status(client))["model"]!;
            Assert.StartsWith("search@", id);
            Assert.Empty((await Search(client, "where is the cat?"))["found"]!.AsArray());

            JsonNode replaced = await Read(await client.PutAsJsonAsync("/documents", Documents));
            Assert.Equal(id, (string?)replaced["model"]);
            var document = new EncodeOptions { PromptName = "document" };
            SearchHit expected = Contrastive.Search.Nearest(
                encoder.Encode(new[] { "where is the cat?" },
                    new EncodeOptions { PromptName = "query" }),
                encoder.Encode(Documents, document), 2)[0][0];
            JsonNode found = await Search(client, "where is the cat?");
            Assert.Equal(2, found["found"]!.AsArray().Count);
            Assert.Equal(Documents[expected.Index], (string?)found["found"]![0]!["text"]);
            Assert.Equal(expected.Score, (float)found["found"]![0]!["score"]!, 5);

            JsonNode embedded = await Read(await client.PostAsJsonAsync("/embed",
                new Dictionary<string, object> { ["texts"] = new[] { "a text" } }));
            Assert.Equal(id, (string?)embedded["model"]);
            Assert.Equal(encoder.Encode("a text", document),
                embedded["embeddings"]![0]!.AsArray().Select(value => (float)value!));
            Assert.Equal(0, await service.Stop());
            Assert.Contains("Loaded the model " + id, service.Output);
            Assert.DoesNotContain("Unhandled", service.Output);
        }

        [Fact]
        public async Task AWrongSettingStopsTheService()
        {
            using var service = new ServiceProcess("--Contrastive:ModelPath", "/no/such/model");
            Assert.NotEqual(0, await service.End());
            Assert.Contains("there is no folder /no/such/model", service.Output);
        }

        [TrainingFact]
        public async Task TheServiceRetrainsAndSwapsUnderLoad()
        {
            using var service = new ServiceProcess("--Contrastive:ModelPath", Support.Model,
                "--Training:max_steps", "4", "--Training:batch_size", "4", "--Training:lr", "0.01");
            using HttpClient client = await service.Client();
            await Read(await client.PutAsJsonAsync("/documents", Documents));
            string first = (string)(await Status(client))["model"]!;
            using var stop = new CancellationTokenSource();
            var models = new ConcurrentDictionary<string, int>();
            async Task Load()
            {
                while (!stop.IsCancellationRequested)
                {
                    JsonNode found = await Search(client, "where is the cat?");
                    Assert.Equal(2, found["found"]!.AsArray().Count);
                    models.AddOrUpdate((string)found["model"]!, 1, (_, count) => count + 1);
                }
            }
            Task[] clients = Enumerable.Range(0, 8).Select(_ => Load()).ToArray();
            var pairs = Enumerable.Range(0, 16).Select(i => new Dictionary<string, string>
            {
                ["a"] = "the cat sat on mat " + i, ["b"] = "a cat sits on mat " + i
            }).ToArray();
            Assert.Equal(HttpStatusCode.Accepted,
                (await client.PostAsJsonAsync("/retrain", pairs)).StatusCode);
            JsonNode status = await Status(client);
            for (int i = 0; i < 1200 && (bool)status["training"]!; ++i)
            {
                await Task.Delay(100);
                status = await Status(client);
            }
            Assert.Null(status["error"]);
            string second = (string)status["model"]!;
            Assert.NotEqual(first, second);
            await Support.Until(() => models.ContainsKey(second), "nobody uses the new model");
            stop.Cancel();
            await Task.WhenAll(clients);
            Assert.Equal(new[] { first, second }.Order(), models.Keys.Order());
            Assert.Equal("Healthy", await client.GetStringAsync("/healthz"));

            // A training that fails leaves the model and says why.
            Assert.Equal(HttpStatusCode.Accepted,
                (await client.PostAsJsonAsync("/retrain", Array.Empty<string>())).StatusCode);
            do
            {
                await Task.Delay(100);
                status = await Status(client);
            } while ((bool)status["training"]!);
            Assert.NotNull(status["error"]);
            Assert.Equal(second, (string?)status["model"]);
            Assert.Equal(0, await service.Stop());
            Assert.Contains("The model " + second + " replaced " + first, service.Output);
            Assert.DoesNotContain("Unhandled", service.Output);
        }
    }
}
