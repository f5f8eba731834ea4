// A model that is adapted on a timer to the pairs that were collected: a better one takes over, and the one before is kept.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Contrastive;

namespace Contrastive.Examples
{
    /// <summary>
    /// Serves a model, collects pairs, and replaces the model by one that was adapted to them where that is better, without cutting off a call. The one before
    /// comes back on demand, or where the canary becomes worse. The folder holds the models, "model-0", "model-1", ..., the file "served" with the number of the
    /// one that is served and of the one before, and the pairs that no model has learned from yet.
    /// </summary>
    public sealed class ScheduledAdaptation : IDisposable
    {
        private sealed class Served
        {
            internal readonly SentenceEncoder Encoder;
            internal readonly int Number, Previous;  // -1 where there is none before

            internal Served(SentenceEncoder encoder, int number, int previous)
            {
                Encoder = encoder;
                Number = number;
                Previous = previous;
            }
        }

        private readonly string folder_;
        private readonly Func<SentenceEncoder, double> canary_;
        private readonly int least_;
        private readonly Config config_;
        private readonly CancellationTokenSource stop_ = new CancellationTokenSource();
        private readonly object turn_ = new object();   // held by whoever changes the model
        private readonly object pairs_ = new object();  // held by whoever writes pairs
        private volatile Served? served_;
        private Task timer_ = Task.CompletedTask;

        /// <summary>Goes on with the folder, or begins one with the model <paramref name="start"/>.</summary>
        /// <param name="canary">Says how good a model is at what no new model may become worse at.</param>
        /// <param name="least">Pairs that an adaptation begins with.</param>
        /// <param name="config">Keys of <c>Config.Describe("adapt")</c>.</param>
        public ScheduledAdaptation(string folder, string start, Func<SentenceEncoder, double> canary, int least, Config config)
        {
            folder_ = folder;
            canary_ = canary;
            least_ = least;
            config_ = config;
            if (File.Exists(PathOf("served")))
            {
                int[] numbers = File.ReadAllText(PathOf("served")).Split(' ').Select(text => int.Parse(text, CultureInfo.InvariantCulture)).ToArray();
                Serve(numbers[0], numbers[1]);
                return;
            }
            using (SentenceEncoder first = SentenceEncoder.Load(start)) first.Save(ModelPath(0));
            Serve(0, -1);
        }

        /// <summary>The number of the model that is served.</summary>
        public int Number => served_!.Number;

        /// <summary>How often the queries of a file find their documents.</summary>
        public static Func<SentenceEncoder, double> Found(string pairs) =>
            encoder => encoder.Evaluate("retrieval", Config.Empty.With("data", pairs))["recall@1"];

        /// <summary>Adapts on the timer. A round that fails changes nothing, and the next one tries again.</summary>
        public void Every(TimeSpan time, Action<string> told)
        {
            timer_ = Task.Run(async () =>
            {
                while (!stop_.IsCancellationRequested)
                {
                    try
                    {
                        await Task.Delay(time, stop_.Token).ConfigureAwait(false);
                        told(Adapt());
                    }
                    catch (OperationCanceledException) when (stop_.IsCancellationRequested)
                    {
                        return;
                    }
                    catch (Exception e) when (e is ContrastiveException || e is IOException)
                    {
                        told("adapting failed: " + e.Message);
                    }
                }
            });
        }

        /// <summary>Embeds with the model that is served, and says which that was.</summary>
        public Embeddings Encode(string[] texts, out int number)
        {
            while (true)
            {
                Served now = served_!;
                try
                {
                    number = now.Number;
                    return now.Encoder.Encode(texts, null, stop_.Token);
                }
                catch (ObjectDisposedException) when (!ReferenceEquals(now, served_))
                {
                    // Changed between the two lines above: the new model answers.
                }
            }
        }

        /// <summary>Keeps pairs, a query, a tab and a document each, until the next adaptation.</summary>
        public void Collect(string[] lines)
        {
            string? wrong = lines.FirstOrDefault(line => line.Split('\t').Length != 2);
            if (wrong != null) throw new FormatException("a query, a tab and a document are needed, not: " + wrong);
            lock (pairs_) File.AppendAllLines(PathOf("pairs.tsv"), lines);
        }

        /// <summary>
        /// What the timer calls. Where enough pairs were collected, adapts the model to them and, where the result is better, serves it; the canary has the last
        /// word. Stopped at any time, the next call goes on.
        /// </summary>
        /// <returns>What was done.</returns>
        public string Adapt()
        {
            lock (turn_)
            {
                Served now = served_!;
                string round = PathOf("round.tsv"), pairs = PathOf("pairs.tsv");
                int next = now.Number + 1;
                while (Directory.Exists(ModelPath(next))) ++next;  // a number is used once: what was rolled back keeps its folder
                if (!File.Exists(round))                           // else a round was broken off: it goes on with its own pairs
                {
                    lock (pairs_)
                    {
                        int count = File.Exists(pairs) ? File.ReadAllLines(pairs).Length : 0;
                        if (count < least_) return count + " pairs of " + least_ + " were collected";
                        File.Move(pairs, round);
                    }
                }
                Report report;
                using (Dataset data = Dataset.Open(round)) report = now.Encoder.Adapt(data, null, ModelPath(next), config_, stop_.Token);
                File.Delete(ModelPath(next) + ".tsv");
                File.Move(round, ModelPath(next) + ".tsv");
                if (!report.Flag("shipped")) return "kept the model: " + report.Text("reason");
                double before = canary_(now.Encoder);
                Serve(next, now.Number);
                double after = canary_(served_!.Encoder);
                if (after >= before) return "serves a better model: " + report.Text("reason");
                Rollback();
                return FormattableString.Invariant($"rolled back: the canary fell from {before} to {after}");
            }
        }

        /// <summary>Serves the model before this one again.</summary>
        public void Rollback()
        {
            lock (turn_)
            {
                if (served_!.Previous < 0) throw new InvalidOperationException("there is no model before this one");
                Serve(served_.Previous, -1);
            }
        }

        /// <summary>Stops an adaptation that runs, and lets the model go.</summary>
        public void Dispose()
        {
            stop_.Cancel();
            timer_.Wait();
            served_!.Encoder.Dispose();
            stop_.Dispose();
        }

        private string PathOf(string name) => Path.Combine(folder_, name);
        private string ModelPath(int number) => PathOf("model-" + number.ToString(CultureInfo.InvariantCulture));

        /// <summary>Changes to a model. The file that names it is replaced in one step: a crash leaves the one or the other. Calls of the old model finish first.</summary>
        private void Serve(int number, int previous)
        {
            SentenceEncoder encoder = SentenceEncoder.Load(ModelPath(number));
            File.WriteAllText(PathOf("served.new"), FormattableString.Invariant($"{number} {previous}"));
            if (File.Exists(PathOf("served"))) File.Replace(PathOf("served.new"), PathOf("served"), null);
            else File.Move(PathOf("served.new"), PathOf("served"));
            Served? old = served_;
            served_ = new Served(encoder, number, previous);
            old?.Encoder.Dispose();
        }
    }
}
