// Adapts a model to collected pairs on a timer. A better model replaces the current one, and the
// previous one is kept for a rollback.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Contrastive;

namespace Contrastive.Examples
{
    /// <summary> Serves a model, collects pairs, and adapts the model to them. The new model
    /// replaces the old one if it is better and its canary score is not lower. No running call is
    /// interrupted. Rollback returns to the previous model. The folder contains the models
    /// "model-0", "model-1", ..., the file "served" with the numbers of the current and the
    /// previous model, and the pairs that no model was trained on yet. The pairs of finished rounds
    /// are in "model-1.tsv" and so on, those of failed rounds in "failed-1.tsv".
    /// </summary>
    public sealed class ScheduledAdaptation : IDisposable
    {
        private sealed class Served
        {
            internal readonly SentenceEncoder Encoder;
            internal readonly int Number, Previous;  // -1 if there is none

            internal Served(SentenceEncoder encoder, int number, int previous)
            {
                Encoder = encoder;
                Number = number;
                Previous = previous;
            }
        }

        /// <summary>Ends a round if the model was rolled back during it. Its pairs stay, and the
        /// next round starts from the model that is served then.</summary>
        private const string Changed = "the model was changed meanwhile";

        /// <summary>The kinds of errors that would occur again on every retry.</summary>
        private static readonly ErrorKind[] Lasting = { ErrorKind.Argument, ErrorKind.Format,
            ErrorKind.Limit, ErrorKind.Mismatch, ErrorKind.Corrupt };

        private readonly string folder_;
        private readonly Func<SentenceEncoder, double> canary_;
        private readonly int least_;
        private readonly Config config_;
        private readonly CancellationTokenSource stop_ = new CancellationTokenSource();
        private readonly object round_ = new object();  // held during an adaptation
        private readonly object turn_ = new object();   // held while the model is changed
        private readonly object pairs_ = new object();  // held while pairs are written
        private volatile Served? served_;
        private Task timer_ = Task.CompletedTask;

        /// <summary>Opens an existing folder, or creates one with the model
        /// <paramref name="start"/>.</summary>
        /// <param name="canary">Returns a model's canary score; a new model with a lower score is
        /// not served.</param>
        /// <param name="least">The minimum number of pairs for an adaptation.</param>
        /// <param name="config">Keys of <c>Config.Describe("adapt")</c>.</param>
        public ScheduledAdaptation(string folder, string start,
            Func<SentenceEncoder, double> canary, int least, Config config)
        {
            folder_ = folder;
            canary_ = canary;
            least_ = least;
            config_ = config;
            if (File.Exists(PathOf("served")))
            {
                int[] numbers = File.ReadAllText(PathOf("served")).Split(' ')
                    .Select(text => int.Parse(text, CultureInfo.InvariantCulture)).ToArray();
                Serve(Load(numbers[0]), numbers[0], numbers[1]);
                return;
            }
            using (SentenceEncoder first = SentenceEncoder.Load(start)) first.Save(ModelPath(0));
            Serve(Load(0), 0, -1);
        }

        /// <summary>The number of the model that is served.</summary>
        public int Number => served_!.Number;

        /// <summary>A canary that measures how often the queries of a file find their
        /// documents.</summary>
        public static Func<SentenceEncoder, double> Found(string pairs) => encoder =>
            encoder.Evaluate("retrieval", Config.Empty.With("data", pairs))
            .Number("recall@1")!.Value;

        /// <summary>Adapts on a timer. A failed round changes nothing, and the next one tries
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

        /// <summary>Embeds with the current model, and returns its number.</summary>
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
                    // The model was changed between the two lines above. Use the new one.
                }
            }
        }

        /// <summary>Stores pairs (a query, a tab and a document) until the next
        /// adaptation.</summary>
        public void Collect(string[] lines)
        {
            string? wrong = lines.DefaultIfEmpty("")
                .FirstOrDefault(line => line.Split('\t').Length != 2);
            if (wrong != null)
                throw new FormatException("a query, a tab and a document are needed, not: " +
                    wrong);
            lock (pairs_) File.AppendAllLines(PathOf("pairs.tsv"), lines);
        }

        /// <summary> Called by the timer. If enough pairs were collected, adapts the model to them,
        /// and serves the result if it is better and the canary score is not lower. If the process
        /// is stopped, the next call resumes the round.
        /// </summary>
        /// <returns>What was done.</returns>
        public string Adapt()
        {
            lock (round_)
            {
                Served now = served_!;
                string round = PathOf("round.tsv"), pairs = PathOf("pairs.tsv");
                int next = now.Number + 1;
                // A number is used once, by a model or by pairs.
                while (Directory.Exists(ModelPath(next)) || File.Exists(KeptPath(next))) ++next;
                // If the file exists, a round was interrupted. It resumes with its own pairs.
                if (!File.Exists(round))
                {
                    lock (pairs_)
                    {
                        int count = File.Exists(pairs) ? File.ReadAllLines(pairs).Length : 0;
                        if (count < least_)
                            return count + " pairs of " + least_ + " were collected";
                        File.Move(pairs, round);
                    }
                }
                double before = canary_(now.Encoder);
                Report report;
                try
                {
                    using Dataset data = Dataset.Open(round,
                        Config.Empty.With("data.on_error", "skip"));
                    report = now.Encoder.Adapt(data, null, ModelPath(next), config_,
                        cancellationToken: stop_.Token);
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
                string done = report.Flag("shipped") ? TakeOver(now, next, before, reason)
                    : "kept the model: " + reason;
                if (done != Changed) File.Move(round, KeptPath(next));
                return done;
            }
        }

        /// <summary>Serves an adapted model, unless the canary score fell or the model was rolled
        /// back.</summary>
        private string TakeOver(Served now, int next, double before, string reason)
        {
            SentenceEncoder fresh = Load(next);
            try
            {
                double after = canary_(fresh);
                if (!(after >= before))
                    return FormattableString.Invariant(
                        $"kept the model: the canary fell from {before} to {after}");
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

        /// <summary> Removes the work of a round that would fail again, and sets its pairs aside.
        /// If only the work does not match the model, the pairs stay for the next round.
        /// </summary>
        private void GiveUp(string round, int number, ErrorKind kind)
        {
            string work = ModelPath(number) + ".adapting";
            if (Directory.Exists(work)) Directory.Delete(work, true);
            if (kind == ErrorKind.Mismatch) return;
            while (File.Exists(PathOf("failed-" + number + ".tsv"))) ++number;
            File.Move(round, PathOf("failed-" + number + ".tsv"));
        }

        /// <summary>Returns to the previous model.</summary>
        public void Rollback()
        {
            lock (turn_)
            {
                if (served_!.Previous < 0)
                    throw new InvalidOperationException("there is no model before this one");
                Serve(Load(served_.Previous), served_.Previous, -1);
            }
        }

        /// <summary>Stops a running adaptation and frees the model.</summary>
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
        private string ModelPath(int number) =>
            PathOf("model-" + number.ToString(CultureInfo.InvariantCulture));
        private string KeptPath(int number) => ModelPath(number) + ".tsv";
        private SentenceEncoder Load(int number) => SentenceEncoder.Load(ModelPath(number));

        /// <summary>Changes to a model. The file with its number is replaced atomically, so a crash
        /// leaves the old or the new number. Calls of the old model finish first.</summary>
        private void Serve(SentenceEncoder encoder, int number, int previous)
        {
            File.WriteAllText(PathOf("served.new"),
                FormattableString.Invariant($"{number} {previous}"));
            if (File.Exists(PathOf("served")))
                File.Replace(PathOf("served.new"), PathOf("served"), null);
            else File.Move(PathOf("served.new"), PathOf("served"));
            Served? old = served_;
            served_ = new Served(encoder, number, previous);
            old?.Encoder.Dispose();
        }
    }
}
