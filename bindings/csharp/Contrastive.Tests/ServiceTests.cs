// The example service under load: models are swapped while requests run, and none is dropped.
using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Contrastive.Examples;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ServiceTests
    {
        private static string FreePrefix()
        {
            var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            int port = ((IPEndPoint)listener.LocalEndpoint).Port;
            listener.Stop();
            return "http://localhost:" + port + "/";
        }

        private static readonly HttpClient Client =
            new HttpClient(new HttpClientHandler { UseProxy = false });

        private static string Post(string url, string body)
        {
            using HttpResponseMessage response = Client.PostAsync(url,
                new StringContent(body, Encoding.UTF8)).GetAwaiter().GetResult();
            response.EnsureSuccessStatusCode();
            return response.Content.ReadAsStringAsync().GetAwaiter().GetResult();
        }

        private static string Status(string prefix) =>
            Client.GetStringAsync(prefix + "status").GetAwaiter().GetResult();

        private sealed class Saboteur : IProgress<TrainingProgress>
        {
            public void Report(TrainingProgress value) =>
                throw new InvalidOperationException("no\u0001 \"disk\"\n\\ left 🙂");
        }

        [TrainingFact]
        public void ATrainingThatFailsInAnyWayLeavesTheServiceServing()
        {
            string prefix = FreePrefix(),
                pairs = string.Join("\n", Support.Pairs.Select(pair => pair.A + "\t" + pair.B));
            long before = Library.LiveHandles;
            using (var service = new EmbeddingService(Support.Tiny(), prefix, Support.Training,
                new Saboteur()))
            {
                for (int round = 0; round < 2; ++round)  // a second one may begin
                {
                    Assert.Contains("true", Post(prefix + "retrain", pairs));
                    string status = "";
                    Support.WaitUntil(() => !(status = Status(prefix)).Contains("true"));
                    // The parser refuses control characters.
                    var parsed = Contrastive.Interop.Json.Parse(status);
                    Assert.Equal("no\u0001 \"disk\"\n\\ left 🙂", parsed.Element("error")!.Value);
                    Assert.Equal("0", parsed.Element("model")!.Value);
                }
                Assert.Contains("\"model\": 0", Post(prefix + "embed", "a dog"));
                Assert.Contains("{\"error\": ", Refused(prefix + "nowhere", "a"));
            }
            Support.ExpectLive(before);
        }

        private static string Refused(string url, string body)
        {
            using HttpResponseMessage response = Client.PostAsync(url,
                new StringContent(body, Encoding.UTF8)).GetAwaiter().GetResult();
            Assert.False(response.IsSuccessStatusCode);
            return response.Content.ReadAsStringAsync().GetAwaiter().GetResult();
        }

        [TrainingFact]
        public void SwapsModelsUnderLoadAndDropsNoRequest()
        {
            const int Swaps = 3, Clients = 4;
            string prefix = FreePrefix(),
                pairs = string.Join("\n", Support.Pairs.Select(pair => pair.A + "\t" + pair.B));
            long before = Library.LiveHandles;
            int answered = 0, last = 0;
            Exception? dropped = null;
            using (var service = new EmbeddingService(Support.Tiny(), prefix, Support.Training))
            {
                bool stop = false;
                var clients = Enumerable.Range(0, Clients).Select(client => new Thread(() =>
                {
                    try
                    {
                        while (!Volatile.Read(ref stop))
                        {
                            string answer = Post(prefix + "embed",
                                "the cat sat 🙂\na dog " + client);
                            bool whole = answer.StartsWith("{\"model\": ",
                                StringComparison.Ordinal) && answer.Split('[').Length == 4;
                            if (!whole) throw new InvalidOperationException(answer);
                            Interlocked.Increment(ref answered);
                        }
                    }
                    catch (Exception e)
                    {
                        dropped = e;
                    }
                })).ToArray();
                foreach (Thread client in clients) client.Start();
                for (int swap = 0; swap < Swaps; ++swap)
                {
                    int target = Volatile.Read(ref answered) + 5;
                    Support.WaitUntil(() => Volatile.Read(ref answered) >= target ||
                        dropped != null);
                    Assert.Contains("true", Post(prefix + "retrain", pairs));
                    Support.WaitUntil(() => service.Generation > swap || dropped != null);
                    Support.WaitUntil(() => Post(prefix + "embed", "a dog")
                        .Contains("\"model\": " + (swap + 1)));
                    // The next training may begin.
                    Support.WaitUntil(() => !Status(prefix).Contains("true"));
                }
                last = service.Generation;
                Volatile.Write(ref stop, true);
                foreach (Thread client in clients) client.Join();
            }
            Assert.True(dropped == null, "a request was dropped: " + dropped);
            Assert.Equal(Swaps, last);
            Support.ExpectLive(before);
            Console.WriteLine("     " + answered + " requests answered during " + Swaps +
                " trainings and swaps");
        }
    }
}
