// Training runs.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary> A training run. The caller owns the loop: look at metrics, save, evaluate or stop
    /// between two steps. For one thread at a time, except that
    /// <see cref="Model"/> and <see cref="Save"/> may be called between steps by whoever holds the loop.
    /// </summary>
    /// <example><code>
    /// using var trainer = new Trainer(encoder, data, Config.Empty.With("method",
    /// "clsr").With("max_steps", 500)); while (trainer.Step())
    /// Console.WriteLine(trainer.Metric("loss")); trainer.Save("my-model");
    /// </code></example>
    public sealed unsafe class Trainer : IDisposable
    {
        private readonly TrainerHandle handle_;

        private Trainer(TrainerHandle handle) => handle_ = handle;

        private TrainerHandle Handle
        {
            get
            {
                handle_.ThrowIfDisposed(nameof(Trainer));
                return handle_;
            }
        }

        /// <summary>Begins a run. The config is checked whole before anything is
        /// computed.</summary>
        /// <param name="encoder">Where training starts. It stays as it is: the result is <see
        /// cref="Model"/>.</param>
        /// <param name="data">The examples; null: then only <see cref="Batch(ReadOnlySpan{string},
        /// int, ReadOnlySpan{double}, CancellationToken)"/> works.</param>
        /// <param name="config">Keys of <c>Config.Describe("train")</c>.</param>
        public Trainer(SentenceEncoder encoder, Dataset? data, Config config) : this(Begin(encoder, data, config)) { }

        private static TrainerHandle Begin(SentenceEncoder encoder, Dataset? data, Config config)
        {
            if (encoder == null) throw new ArgumentNullException(nameof(encoder));
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            return Native.cs_trainer_new(encoder.Handle, data?.Handle ?? DatasetHandle.None, lent);
        }

        /// <summary>Finds all that can be found wrong in a training config without data and without
        /// a model's weights.</summary>
        /// <param name="config">The training config.</param>
        /// <param name="modelPath">The folder of the model that is to be trained, of which only
        /// config.json and modules.json are read: layers that it does not have and texts longer
        /// than its positions are found too. Null: any model.</param>
        /// <exception cref="ContrastiveException">Argument, naming the key; of the folder what
        /// loading it would say.</exception>
        public static void Check(Config config, string? modelPath = null) => Check(config, null, modelPath);

        /// <summary>The same, and what the examples lack: pairs, labels, as many as a warm-up is
        /// long; and files that the config names and that are not there or hold something
        /// else.</summary>
        /// <param name="config">The training config; with device and precision, by which the model
        /// will be loaded, what the run asks of them is found too.</param>
        /// <param name="data">The examples; null: any, and no file is looked at.</param>
        /// <param name="modelPath">The folder of the model; null: any model.</param>
        /// <exception cref="ContrastiveException">Argument, naming the key; of files and the folder
        /// what opening them would say.</exception>
        public static void Check(Config config, Dataset? data, string? modelPath)
        {
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            Native.cs_trainer_check(lent, data?.Handle ?? DatasetHandle.None, modelPath);
        }

        /// <summary>Goes on with a run from what <see cref="Save"/> wrote, on the CPU bit-identical
        /// to a run that was never interrupted.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="encoder">The one that the run began with.</param>
        /// <param name="data">The one that the run began with.</param>
        /// <param name="overrides">Keys that do not change the run so far, such as
        /// max_steps.</param>
        /// <exception cref="ContrastiveException">Mismatch, naming the field that differs; Corrupt;
        /// NotFound.</exception>
        public static Trainer Resume(string path, SentenceEncoder encoder, Dataset? data, Config? overrides = null)
        {
            if (path == null) throw new ArgumentNullException(nameof(path));
            if (encoder == null) throw new ArgumentNullException(nameof(encoder));
            using ConfigHandle lent = Config.Lend(overrides);
            return new Trainer(Native.cs_trainer_resume(path, encoder.Handle, data?.Handle ?? DatasetHandle.None, lent));
        }

        /// <summary>Begins to train a reranker further, with a method that trains rerankers; the
        /// result is <see cref="Reranker"/>. To make a reranker out of an encoder, begin with the
        /// encoder and such a method.</summary>
        /// <param name="reranker">Where training starts. It stays as it is.</param>
        /// <param name="data">The examples; null: then only the batches of the caller train
        /// it.</param>
        /// <param name="config">Keys of <c>Config.Describe("train")</c>, such as method and
        /// reranker.loss.</param>
        public static Trainer StartReranker(Reranker reranker, Dataset? data, Config config)
        {
            if (reranker == null) throw new ArgumentNullException(nameof(reranker));
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            return new Trainer(Native.cs_trainer_new(reranker.Handle, data?.Handle ?? DatasetHandle.None, lent));
        }

        /// <summary><see cref="Resume"/> of a run that <see cref="StartReranker"/> began.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="reranker">The one that the run began with.</param>
        /// <param name="data">The one that the run began with.</param>
        /// <param name="overrides">Keys that do not change the run so far, such as
        /// max_steps.</param>
        public static Trainer ResumeReranker(string path, Reranker reranker, Dataset? data, Config? overrides = null)
        {
            if (path == null) throw new ArgumentNullException(nameof(path));
            if (reranker == null) throw new ArgumentNullException(nameof(reranker));
            using ConfigHandle lent = Config.Lend(overrides);
            return new Trainer(Native.cs_trainer_resume(path, reranker.Handle, data?.Handle ?? DatasetHandle.None, lent));
        }

        /// <summary>Makes one update of the weights. The first call also prepares what the method
        /// needs, which may take minutes.</summary>
        /// <param name="cancellationToken">Looked at before an update, while preparing, and in the
        /// evaluations behind an update, which is finished when it has begun.</param>
        /// <returns>true: an update was made, and the next call may make another; false: none was
        /// left, and nothing was done. So
        /// <c>while (trainer.Step())</c> makes them all, as in Java and Go; C's cs_train_step answers the other way round, with CS_DONE at
        /// the end.</returns>
        /// <exception cref="OperationCanceledException">The weights are those of the metric "step";
        /// a later call goes on.</exception>
        public bool Step(CancellationToken cancellationToken = default)
        {
            using var scope = new CancelScope(cancellationToken);
            return Step(scope);
        }

        private bool Step(in CancelScope scope)
        {
            try
            {
                return Native.cs_train_step(Handle, scope.Flag) == Ok;
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>Makes all updates that are left.</summary>
        /// <param name="progress">Told after each, on this thread.</param>
        /// <param name="cancellationToken">Stops between two updates; a later call goes on.</param>
        public void Run(IProgress<TrainingProgress>? progress = null, CancellationToken cancellationToken = default)
        {
            using var scope = new CancelScope(cancellationToken);
            while (Step(scope)) progress?.Report(new TrainingProgress(this));
        }

        /// <summary>Makes one update on texts of the caller, each an example of its own: from a
        /// queue, a cursor, a generator.</summary>
        /// <param name="texts">At least 2, for methods that compare the texts of a batch.</param>
        /// <param name="cancellationToken">As in <see cref="Step(CancellationToken)"/>.</param>
        /// <returns>Whether an update was made; false: the run is over.</returns>
        public bool Batch(IEnumerable<string> texts, CancellationToken cancellationToken = default)
        {
            if (texts == null) throw new ArgumentNullException(nameof(texts));
            return Batch(texts as string[] ?? texts.ToArray(), 1, default, cancellationToken);
        }

        /// <summary>Makes one update on pairs of texts of the caller.</summary>
        public bool Batch(IEnumerable<(string A, string B)> pairs, CancellationToken cancellationToken = default)
        {
            if (pairs == null) throw new ArgumentNullException(nameof(pairs));
            return Batch(pairs.SelectMany(pair => new[] { pair.A, pair.B }).ToArray(), 2, default, cancellationToken);
        }

        /// <summary>Makes one update on examples of the caller: texts, pairs, or pairs with hard
        /// negatives. After an error, look at metric "step" before you give the same examples
        /// again: if it has grown, they are trained, and an evaluation behind them
        /// failed.</summary>
        /// <param name="texts">[examples, columns] row by row: the text, the one that belongs to
        /// it, then texts that resemble it and do not belong to it. Each example has as many; "" in
        /// the place of a negative is none.</param>
        /// <param name="columns">Texts of one example. 1: texts; 2: pairs; 3 and more: pairs, each
        /// with columns - 2 hard negatives, which methods that know none leave aside.</param>
        /// <param name="labels">A score for each example, NaN for none; or empty.</param>
        /// <param name="cancellationToken">As in <see cref="Step(CancellationToken)"/>.</param>
        /// <returns>Whether an update was made; false: the run is over.</returns>
        public bool Batch(ReadOnlySpan<string> texts, int columns, ReadOnlySpan<double> labels = default, CancellationToken cancellationToken = default)
        {
            if (columns < 1 || texts.Length % columns != 0)
                throw new ArgumentException(texts.Length + " texts are no whole number of examples of " + columns + ".", nameof(columns));
            int examples = texts.Length / columns;
            if (labels.Length != 0 && labels.Length != examples)
                throw new ArgumentException("There are " + labels.Length + " labels for " + examples + " examples.", nameof(labels));
            var packed = new PackedTexts(texts.ToArray(), nameof(texts));
            using var scope = new CancelScope(cancellationToken);
            try
            {
                fixed (byte* data = packed.Data)
                fixed (int* offsets = packed.Offsets)
                fixed (double* scores = labels)
                    return Native.cs_train_batch_packed(Handle, data, offsets, examples, columns, scores, scope.Flag) == Ok;
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>Scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*"
        /// now, and remembers the weights if they are the best.</summary>
        /// <exception cref="OperationCanceledException">No figure was kept.</exception>
        public void Evaluate(CancellationToken cancellationToken = default)
        {
            using var scope = new CancelScope(cancellationToken);
            try
            {
                Native.cs_trainer_evaluate(Handle, scope.Flag);
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>The present value of one metric, such as "loss", "lr", "step" or
        /// "samples_per_second", or of a task that the run evaluates, "sts.spearman.all"; NaN where
        /// it has none.</summary>
        public double Metric(string name) => Native.cs_trainer_metric(Handle, name ?? throw new ArgumentNullException(nameof(name)));

        /// <summary>All metrics that have a value.</summary>
        public IReadOnlyDictionary<string, double> Metrics() => Json.Numbers(Native.cs_trainer_metrics(Handle));

        /// <summary>The config in force, with every default filled in.</summary>
        public Config EffectiveConfig() => Config.Parse(Native.cs_trainer_config(Handle));

        /// <summary>The trained model, independent of the trainer from then on.</summary>
        public SentenceEncoder Model() => new SentenceEncoder(Result(0, reranker: false));

        /// <summary>The model with the best weights on the dev set, or the present ones where
        /// nothing was measured.</summary>
        public SentenceEncoder BestModel() => new SentenceEncoder(Result(1, reranker: false));

        /// <summary>The trained reranker of a run that trains one, independent of the trainer from
        /// then on.</summary>
        public Reranker Reranker() => new Reranker(Result(0, reranker: true));

        /// <summary>The reranker with the best weights on the dev set, or the present ones where
        /// nothing was measured.</summary>
        public Reranker BestReranker() => new Reranker(Result(1, reranker: true));

        // The trained model, which the caller owns. State where the run trains the other kind.
        private ModelHandle Result(int best, bool reranker)
        {
            ModelHandle model = Native.cs_trainer_model(Handle, best);
            if ((Native.cs_model_kind(model) == Contrastive.Reranker.Kind) == reranker) return model;
            model.Dispose();
            throw new ContrastiveException((int)ErrorKind.State,
                reranker ? "the run trains a sentence encoder: ask for its model" : "the run trains a reranker: ask for its reranker");
        }

        /// <summary>Writes the model as it is now, and beside it the state that <see
        /// cref="Resume"/> needs. Atomic.</summary>
        public void Save(string path) => Native.cs_trainer_save(Handle, path ?? throw new ArgumentNullException(nameof(path)));

        /// <summary>Writes the best model on the dev set, without state. Atomic.</summary>
        public void SaveBest(string path) => Native.cs_trainer_save_best(Handle, path ?? throw new ArgumentNullException(nameof(path)));

        /// <summary>Frees the trainer.</summary>
        public void Dispose() => handle_.Dispose();

        private const int Ok = 0;  // the other success is CS_DONE
    }

    /// <summary>Where a run stands after an update.</summary>
    public readonly struct TrainingProgress
    {
        internal TrainingProgress(Trainer trainer)
        {
            Step = (long)trainer.Metric("step");
            double total = trainer.Metric("total_steps");
            TotalSteps = double.IsNaN(total) ? (long?)null : (long)total;
            Loss = trainer.Metric("loss");
        }

        /// <summary>Updates made.</summary>
        public long Step { get; }
        /// <summary>Updates of the whole run; null if nothing bounds it.</summary>
        public long? TotalSteps { get; }
        /// <summary>The loss of the last one.</summary>
        public double Loss { get; }

        /// <inheritdoc/>
        public override string ToString() => "step " + Step + (TotalSteps is long total ? " of " + total : "") + ", loss " + Loss;
    }
}
