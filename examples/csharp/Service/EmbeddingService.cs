// A service that embeds over HTTP while it retrains its model in the background, and swaps the
// model without dropping a request.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Contrastive;

namespace Contrastive.Examples
{
    /// <summary>An HTTP service that embeds texts and retrains its model meanwhile.</summary>
    /// <remarks>
    /// <code>
    /// POST /embed     one text per line; returns {"model": 3, "embeddings": [[...], ...]}
    /// POST /retrain   one pair per line, with a tab between the texts; returns at once, trains in
    ///                 the background, then swaps the model
    /// GET  /status    {"model": 3, "training": true, "error": null}; the error is that of the last
    ///                 training
    /// </code>
    /// </remarks>
    public sealed class EmbeddingService : IDisposable
    {
        private sealed class Model
        {
            internal readonly SentenceEncoder Encoder;
            internal readonly int Generation;

            internal Model(SentenceEncoder encoder, int generation)
            {
                Encoder = encoder;
                Generation = generation;
            }
        }

        private readonly HttpListener listener_ = new HttpListener();
        private readonly CancellationTokenSource stop_ = new CancellationTokenSource();
        // Counts running requests and the service itself.
        private readonly CountdownEvent answering_ = new CountdownEvent(1);
        private readonly Config training_;
        private readonly IProgress<TrainingProgress>? progress_;
        private readonly Task accepting_;
        private volatile Model model_;
        private Task retraining_ = Task.CompletedTask;
        private volatile string? error_;
        private int busy_;

        /// <param name="encoder">The first model. The service disposes of it.</param>
        /// <param name="prefix">The address to listen on, such as "http://localhost:8080/".</param>
        /// <param name="training">The training config.</param>
        /// <param name="progress">Called after each update. An exception from it ends only the
        /// training.</param>
        public EmbeddingService(SentenceEncoder encoder, string prefix, Config training,
            IProgress<TrainingProgress>? progress = null)
        {
            model_ = new Model(encoder, 0);
            training_ = training;
            progress_ = progress;
            listener_.Prefixes.Add(prefix);
            listener_.Start();
            accepting_ = Task.Run(Accept);
        }

        public int Generation => model_.Generation;

        private async Task Accept()
        {
            while (listener_.IsListening)
            {
                HttpListenerContext context;
                try
                {
                    context = await listener_.GetContextAsync().ConfigureAwait(false);
                }
                catch (Exception e) when (e is HttpListenerException ||
                    e is ObjectDisposedException || e is InvalidOperationException)
                {
                    return;  // stopped
                }
                answering_.AddCount();
                _ = Task.Run(() =>
                {
                    try
                    {
                        Answer(context);
                    }
                    finally
                    {
                        answering_.Signal();
                    }
                });
            }
        }

        private void Answer(HttpListenerContext context)
        {
            int status = 200;
            string body;
            try
            {
                body = Route(context.Request, ref status);
            }
            catch (Exception e)
            {
                status = e is ContrastiveException refused && refused.Kind == ErrorKind.Argument
                    ? 400 : 500;
                body = "{\"error\": " + Quote(e.Message) + "}";
            }
            try
            {
                byte[] bytes = Encoding.UTF8.GetBytes(body);
                context.Response.StatusCode = status;
                context.Response.ContentType = "application/json";
                context.Response.ContentLength64 = bytes.Length;
                context.Response.OutputStream.Write(bytes, 0, bytes.Length);
                context.Response.Close();
            }
            catch (Exception e) when (e is HttpListenerException || e is IOException ||
                e is InvalidOperationException)
            {
                // The client has disconnected, or the service stops.
            }
        }

        /// <summary>A string in JSON's form.</summary>
        internal static string Quote(string text)
        {
            var json = new StringBuilder("\"");
            foreach (char unit in text)
            {
                if (unit == '"' || unit == '\\') json.Append('\\').Append(unit);
                else if (unit < ' ' || char.IsSurrogate(unit))
                    json.Append("\\u")
                        .Append(((int)unit).ToString("x4", CultureInfo.InvariantCulture));
                else json.Append(unit);
            }
            return json.Append('"').ToString();
        }

        private string Route(HttpListenerRequest request, ref int status)
        {
            switch (request.HttpMethod + " " + request.Url!.AbsolutePath)
            {
                case "POST /embed": return Embed(Lines(request));
                case "POST /retrain":
                    if (StartRetraining(Lines(request))) return "{\"training\": true}";
                    status = 409;
                    return "{\"error\": \"a training runs already\"}";
                case "GET /status":
                    string error = error_ == null ? "null" : Quote(error_);
                    string training = Volatile.Read(ref busy_) == 1 ? "true" : "false";
                    return "{\"model\": " + Generation + ", \"training\": " + training +
                        ", \"error\": " + error + "}";
                default:
                    status = 404;
                    return "{\"error\": \"there is POST /embed, POST /retrain and GET /status\"}";
            }
        }

        private static string[] Lines(HttpListenerRequest request)
        {
            using var reader = new StreamReader(request.InputStream, Encoding.UTF8);
            return reader.ReadToEnd().Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
        }

        private string Embed(string[] texts)
        {
            while (true)
            {
                Model model = model_;
                try
                {
                    return ToJson(model.Generation, model.Encoder.Encode(texts, null, stop_.Token));
                }
                catch (ObjectDisposedException) when (!ReferenceEquals(model, model_))
                {
                    // The model was swapped between the two lines above. Use the new one.
                }
            }
        }

        private static string ToJson(int generation, Embeddings embeddings)
        {
            var json = new StringBuilder("{\"model\": ").Append(generation)
                .Append(", \"embeddings\": [");
            for (int i = 0; i < embeddings.Count; ++i)
            {
                if (i > 0) json.Append(", ");
                json.Append('[').Append(string.Join(",", embeddings[i].ToArray().Select(value =>
                    value.ToString("R", CultureInfo.InvariantCulture)))).Append(']');
            }
            return json.Append("]}").ToString();
        }

        private bool StartRetraining(string[] pairs)
        {
            if (Interlocked.CompareExchange(ref busy_, 1, 0) != 0) return false;
            retraining_ = Task.Run(() =>
            {
                try
                {
                    Retrain(pairs);
                    error_ = null;
                }
                catch (OperationCanceledException) when (stop_.IsCancellationRequested)
                {
                    // The service stops.
                }
                catch (Exception e)
                {
                    // After any error the service continues with its current model.
                    error_ = e.Message;
                    Console.Error.WriteLine("retraining failed, the model stays: " + e.Message);
                }
                finally
                {
                    Volatile.Write(ref busy_, 0);
                }
            });
            return true;
        }

        private void Retrain(string[] pairs)
        {
            Model old = model_;
            using var data = new Dataset();
            foreach (string[] pair in pairs.Select(line => line.Split('\t'))
                .Where(pair => pair.Length == 2))
                data.Add(pair[0], pair[1]);
            using var trainer = new Trainer(old.Encoder, data, training_);
            trainer.Run(progress_, stop_.Token);
            model_ = new Model(trainer.Model(), old.Generation + 1);
            old.Encoder.Dispose();  // requests that use it finish first
        }

        public void Dispose()
        {
            stop_.Cancel();
            listener_.Stop();
            accepting_.Wait();
            answering_.Signal();
            // Before the model is freed. A running request may still start the last training.
            answering_.Wait();
            retraining_.Wait();
            listener_.Close();
            model_.Encoder.Dispose();
            answering_.Dispose();
            stop_.Dispose();
        }
    }
}
