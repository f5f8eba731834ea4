// A model that is adapted on a timer to the pairs that were collected: a better one takes over, and
// the one before is kept.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Contrastive;

namespace Contrastive.Examples
{
    /// <summary> Serves a model, collects pairs, and replaces the model by one that was adapted to
    /// them where that is better and not worse at the canary, without cutting off a call. The one
    /// before comes back on demand. The folder holds the models, "model-0", "model-1", ..., the
    /// file "served" with the number of the one that is served and of the one before, and the pairs
    /// that no model has learned from yet. Those of a round that is over are in "model-1.tsv" and
    /// so on, those of a round that cannot be adapted to in "failed-1.tsv".
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

        /// <summary>What a round ends with if somebody rolled back while it ran. Its pairs stay,
        /// and the next round begins with the model that is served then.</summary>
        private const string Changed = "the model was changed meanwhile";

        /// <summary>What fails the same way however often it is tried.</summary>
        private static readonly ErrorKind[] Lasting = { ErrorKind.Argument, ErrorKind.Format, ErrorKind.Limit, ErrorKind.Mismatch, ErrorKind.Corrupt };

        private readonly string folder_;
        private readonly Func<SentenceEncoder, double> canary_;
        private readonly int least_;
        private readonly Config config_;
        private readonly CancellationTokenSource stop_ = new CancellationTokenSource();
        private readonly object round_ = new object();  // held by whoever adapts
        private readonly object turn_ = new object();   // held by whoever changes the model
        private readonly object pairs_ = new object();  // held by whoever writes pairs
        private volatile Served? served_;
        private Task timer_ = Task.CompletedTask;

        /// <summary>Goes on with the folder, or begins one with the model <paramref
        /// name="start"/>.</summary>
        /// <param name="canary">Says how good a model is at what no new model may become worse
        /// at.</param>
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
                Serve(Load(numbers[0]), numbers[0], numbers[1]);
                return;
            }
            using (SentenceEncoder first = SentenceEncoder.Load(start)) first.Save(ModelPath(0));
            Serve(Load(0), 0, -1);
        }

        /// <summary>The number of the model that is served.</summary>
        public int Number => served_!.Number;

        /// <summary>How often the queries of a file find their documents.</summary>
        public static Func<SentenceEncoder, double> Found(string pairs) =>
            encoder => encoder.Evaluate("retrieval", Config.Empty.With("data", pairs)).Number("recall@1")!.Value;

        /// <summary>Adapts on the timer. A round that fails changes nothing, and the next one tries
        /// again.</summary>
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
                    catch (Exception e)
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

        /// <summary>Keeps pairs, a query, a tab and a document each, until the next
        /// adaptation.</summary>
        public void Collect(string[] lines)
        {
            string? wrong = lines.DefaultIfEmpty("").FirstOrDefault(line => line.Split('\t').Length != 2);
            if (wrong != null) throw new FormatException("a query, a tab and a document are needed, not: " + wrong);
            lock (pairs_) File.AppendAllLines(PathOf("pairs.tsv"), lines);
        }

        /// <summary> What the timer calls. Where enough pairs were collected, adapts the model to
        /// them and, where the result is better, serves it; the canary has the last word. Stopped
        /// at any time, the next call goes on.
        /// </summary>
        /// <returns>What was done.</returns>
        public string Adapt()
        {
            lock (round_)
            {
                Served now = served_!;
                string round = PathOf("round.tsv"), pairs = PathOf("pairs.tsv");
                int next = now.Number + 1;
                while (Directory.Exists(ModelPath(next)) || File.Exists(KeptPath(next))) ++next;  // a number is used once, by a model or by pairs
                if (!File.Exists(round))                                                          // else a round was broken off: it goes on with its own pairs
                {
                    lock (pairs_)
                    {
                        int count = File.Exists(pairs) ? File.ReadAllLines(pairs).Length : 0;
                        if (count < least_) return count + " pairs of " + least_ + " were collected";
                        File.Move(pairs, round);
                    }
                }
                double before = canary_(now.Encoder);
                Report report;
                try
                {
                    using Dataset data = Dataset.Open(round, Config.Empty.With("data.on_error", "skip"));
                    report = now.Encoder.Adapt(data, null, ModelPath(next), config_, stop_.Token);
                }
                catch (ObjectDisposedException) when (!ReferenceEquals(now, served_))
                {
                    return Changed;
                }
                catch (ContrastiveException e) when (Lasting.Contains(e.Kind))
                {
                    GiveUp(round, next, e.Kind);
                    throw;
                }
                string reason = report.Text("reason") ?? "";
                string done = report.Flag("shipped") ? TakeOver(now, next, before, reason) : "kept the model: " + reason;
                if (done != Changed) File.Move(round, KeptPath(next));
                return done;
            }
        }

        /// <summary>Serves a model that was adapted, unless the canary fell or somebody rolled
        /// back.</summary>
        private string TakeOver(Served now, int next, double before, string reason)
        {
            SentenceEncoder fresh = Load(next);
            try
            {
                double after = canary_(fresh);
                if (!(after >= before)) return FormattableString.Invariant($"kept the model: the canary fell from {before} to {after}");
                lock (turn_)
                {
                    if (!ReferenceEquals(now, served_)) return Changed;
                    Serve(fresh, next, now.Number);
                }
                return "serves a better model: " + reason;
            }
            finally
            {
                if (!ReferenceEquals(fresh, served_!.Encoder)) fresh.Dispose();
            }
        }

        /// <summary> Removes the work of a round that would fail again, and puts its pairs aside;
        /// where only the work does not fit, they stay for the next round.
        /// </summary>
        private void GiveUp(string round, int number, ErrorKind kind)
        {
            string work = ModelPath(number) + ".adapting";
            if (Directory.Exists(work)) Directory.Delete(work, true);
            if (kind == ErrorKind.Mismatch) return;
            while (File.Exists(PathOf("failed-" + number + ".tsv"))) ++number;
            File.Move(round, PathOf("failed-" + number + ".tsv"));
        }

        /// <summary>Serves the model before this one again.</summary>
        public void Rollback()
        {
            lock (turn_)
            {
                if (served_!.Previous < 0) throw new InvalidOperationException("there is no model before this one");
                Serve(Load(served_.Previous), served_.Previous, -1);
            }
        }

        /// <summary>Stops an adaptation that runs, and lets the model go.</summary>
        public void Dispose()
        {
            stop_.Cancel();
            try
            {
                timer_.Wait();
            }
            finally
            {
                served_!.Encoder.Dispose();
                stop_.Dispose();
            }
        }

        private string PathOf(string name) => Path.Combine(folder_, name);
        private string ModelPath(int number) => PathOf("model-" + number.ToString(CultureInfo.InvariantCulture));
        private string KeptPath(int number) => ModelPath(number) + ".tsv";
        private SentenceEncoder Load(int number) => SentenceEncoder.Load(ModelPath(number));

        /// <summary>Changes to a model. The file that names it is replaced in one step: a crash
        /// leaves the one or the other. Calls of the old model finish first.</summary>
        private void Serve(SentenceEncoder encoder, int number, int previous)
        {
            File.WriteAllText(PathOf("served.new"), FormattableString.Invariant($"{number} {previous}"));
            if (File.Exists(PathOf("served"))) File.Replace(PathOf("served.new"), PathOf("served"), null);
            else File.Move(PathOf("served.new"), PathOf("served"));
            Served? old = served_;
            served_ = new Served(encoder, number, previous);
            old?.Encoder.Dispose();
        }
    }
}
