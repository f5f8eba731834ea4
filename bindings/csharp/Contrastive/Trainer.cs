// Training runs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>A training run. You write the training loop, and can read metrics, save, evaluate
    /// or stop between two steps. Only one thread at a time may use a trainer.
    /// </summary>
    /// <example><code>
    /// Config config = Config.Empty.With("method", "mnrl").With("max_steps", 500);
    /// using var trainer = new Trainer(encoder, data, config);
    /// while (trainer.Step()) Console.WriteLine(trainer.Metric("loss"));
    /// trainer.Save("my-model");
    /// </code></example>
    public sealed unsafe class Trainer : IDisposable
    {
        private readonly TrainerHandle handle_;

        private Trainer(TrainerHandle handle) => handle_ = handle;

        // Weights, gradients and two moments of the optimizer.
        private static TrainerHandle Weigh(TrainerHandle trainer, ModelHandle model)
        {
            trainer.Weigh(4 * Native.cs_model_memory(model));
            return trainer;
        }

        private TrainerHandle Handle
        {
            get
            {
                handle_.ThrowIfDisposed(nameof(Trainer));
                return handle_;
            }
        }

        /// <summary>Starts a run. The whole config is checked before training starts.</summary>
        /// <param name="encoder">The encoder that training starts from. It is not changed;
        /// <see cref="Model"/> returns the result.</param>
        /// <param name="data">The training examples. If null, only
        /// <see
        /// cref="Batch(ReadOnlySpan{string}, int, ReadOnlySpan{double?}, CancellationToken)"/>
        /// works.</param>
        /// <param name="config">Keys of <c>Config.Describe("train")</c>.</param>
        public Trainer(SentenceEncoder encoder, Dataset? data, Config config)
            : this(Begin(encoder, data, config)) { }

        private static TrainerHandle Begin(SentenceEncoder encoder, Dataset? data, Config config)
        {
            Guard.NotNull(encoder);
            using ConfigHandle lent =
                Config.Lend(Guard.NotNull(config));
            return Weigh(Native.cs_trainer_new(encoder.Handle, data?.Handle ?? DatasetHandle.None,
                lent), encoder.Handle);
        }

        /// <summary>Validates a training config without data and without a model's
        /// weights.</summary>
        /// <param name="config">The training config.</param>
        /// <param name="modelPath">The folder of the model to train, of which only config.json and
        /// modules.json are read. The check then also finds layers that the model does not have,
        /// and texts longer than its position embeddings allow. If null, nothing about the model is
        /// checked.</param>
        /// <exception cref="ContrastiveException">Argument, with the key's name; for the folder,
        /// the error that loading it would give.</exception>
        public static void Check(Config config, string? modelPath = null) =>
            Check(config, null, modelPath);

        /// <summary>Validates a training config against a dataset as well. It also finds examples
        /// without the required pairs or labels, too few examples for the warm-up, and configured
        /// files that are missing or have the wrong format.</summary>
        /// <param name="config">The training config. Add the keys device and precision with which
        /// you will load the model to check those too.</param>
        /// <param name="data">The training examples. If null, examples and files are not
        /// checked.</param>
        /// <param name="modelPath">The folder of the model. If null, nothing about the model is
        /// checked.</param>
        /// <exception cref="ContrastiveException">Argument, with the key's name; for files and the
        /// folder, the error that opening them would give.</exception>
        public static void Check(Config config, Dataset? data, string? modelPath)
        {
            using ConfigHandle lent =
                Config.Lend(Guard.NotNull(config));
            Native.cs_trainer_check(lent, data?.Handle ?? DatasetHandle.None, modelPath);
        }

        /// <summary>Resumes a run from the folder that <see cref="Save"/> wrote. On the CPU the
        /// result is bit-identical to that of an uninterrupted run.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="encoder">The encoder that the run started from.</param>
        /// <param name="data">The dataset that the run started with.</param>
        /// <param name="overrides">Keys that do not change the run so far, such as
        /// max_steps.</param>
        /// <exception cref="ContrastiveException">Mismatch, with the name of the field that
        /// differs; Corrupt; NotFound.</exception>
        public static Trainer Resume(string path, SentenceEncoder encoder, Dataset? data,
            Config? overrides = null)
        {
            Guard.NotNull(path);
            Guard.NotNull(encoder);
            using ConfigHandle lent = Config.Lend(overrides);
            return new Trainer(Weigh(Native.cs_trainer_resume(path, encoder.Handle,
                data?.Handle ?? DatasetHandle.None, lent), encoder.Handle));
        }

        /// <summary>Starts a run that trains an existing reranker further, with a method that
        /// trains rerankers. <see cref="Reranker"/> returns the result. To make a reranker out of
        /// an encoder, start a run from the encoder with such a method.</summary>
        /// <param name="reranker">The reranker that training starts from. It is not
        /// changed.</param>
        /// <param name="data">The training examples. If null, only Batch works.</param>
        /// <param name="config">Keys of <c>Config.Describe("train")</c>, such as method and
        /// reranker.loss.</param>
        public static Trainer StartReranker(Reranker reranker, Dataset? data, Config config)
        {
            Guard.NotNull(reranker);
            using ConfigHandle lent =
                Config.Lend(Guard.NotNull(config));
            return new Trainer(Weigh(Native.cs_trainer_new(reranker.Handle,
                data?.Handle ?? DatasetHandle.None, lent), reranker.Handle));
        }

        /// <summary>Resumes a run that <see cref="StartReranker"/> started, as <see cref="Resume"/>
        /// does.</summary>
        /// <param name="path">The folder.</param>
        /// <param name="reranker">The reranker that the run started from.</param>
        /// <param name="data">The dataset that the run started with.</param>
        /// <param name="overrides">Keys that do not change the run so far, such as
        /// max_steps.</param>
        public static Trainer ResumeReranker(string path, Reranker reranker, Dataset? data,
            Config? overrides = null)
        {
            Guard.NotNull(path);
            Guard.NotNull(reranker);
            using ConfigHandle lent = Config.Lend(overrides);
            return new Trainer(Weigh(Native.cs_trainer_resume(path, reranker.Handle,
                data?.Handle ?? DatasetHandle.None, lent), reranker.Handle));
        }

        /// <summary>Makes one update of the weights. The first call also does the method's one-time
        /// preparation, which may take minutes.</summary>
        /// <param name="cancellationToken">Polled before an update, during the preparation, and
        /// during the evaluations after an update. An update that has begun is finished.</param>
        /// <returns>True if an update was made; false if the run was already over and nothing was
        /// done. <c>while (trainer.Step())</c> makes all updates, as in Java and Go. C's
        /// cs_train_step is different: it returns CS_DONE at the end.</returns>
        /// <exception cref="OperationCanceledException">The metric "step" is the number of updates
        /// that the weights have had. A later call continues.</exception>
        public bool Step(CancellationToken cancellationToken = default)
        {
            using var scope = new CancelScope(cancellationToken);
            return Step(scope);
        }

        private bool Step(CancelScope scope)
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

        /// <summary>Makes all remaining updates.</summary>
        /// <param name="progress">Receives a report after each update, on this thread.</param>
        /// <param name="cancellationToken">Stops the run between two updates. A later call
        /// continues.</param>
        public void Run(IProgress<TrainingProgress>? progress = null,
            CancellationToken cancellationToken = default)
        {
            using var scope = new CancelScope(cancellationToken);
            while (Step(scope)) progress?.Report(new TrainingProgress(this));
        }

        /// <summary>Makes all remaining updates on a thread of its own.</summary>
        /// <param name="progress">Receives a report after each update, on that thread.</param>
        /// <param name="cancellationToken">Stops the run between two updates. A later call
        /// continues.</param>
        public Task RunAsync(IProgress<TrainingProgress>? progress = null,
            CancellationToken cancellationToken = default) => LongTask.Run(() =>
            {
                Run(progress, cancellationToken);
                return true;
            }, cancellationToken);

        /// <summary>Makes one update on your own texts, for example from a queue, a cursor or a
        /// generator. Each text is one example.</summary>
        /// <param name="texts">At least 2 for methods that compare the texts of a batch.</param>
        /// <param name="cancellationToken">As in <see cref="Step(CancellationToken)"/>.</param>
        /// <returns>True if an update was made; false if the run is over.</returns>
        public bool Batch(IEnumerable<string> texts, CancellationToken cancellationToken = default)
        {
            Guard.NotNull(texts);
            return Batch(texts as string[] ?? texts.ToArray(), 1, default, cancellationToken);
        }

        /// <summary>Makes one update on your own pairs of texts.</summary>
        public bool Batch(IEnumerable<(string A, string B)> pairs,
            CancellationToken cancellationToken = default)
        {
            Guard.NotNull(pairs);
            return Batch(pairs.SelectMany(pair => new[] { pair.A, pair.B }).ToArray(), 2, default,
                cancellationToken);
        }

        /// <summary>Makes one update on your own examples: texts, pairs, or pairs with hard
        /// negatives. After an error, read the metric "step" before you pass the same examples
        /// again. If it has increased, the update was made and the evaluation after it
        /// failed.</summary>
        /// <param name="texts">[examples, columns] row by row: the text, its positive, then its
        /// hard negatives. All examples have the same number of texts; a negative of "" is
        /// ignored.</param>
        /// <param name="columns">The number of texts of an example. 1: texts; 2: pairs; 3 or more:
        /// pairs, each with columns - 2 hard negatives. Methods without hard negatives ignore
        /// them.</param>
        /// <param name="labels">A score for each example, null if it has none; or empty.</param>
        /// <param name="cancellationToken">As in <see cref="Step(CancellationToken)"/>.</param>
        /// <returns>True if an update was made; false if the run is over.</returns>
        public bool Batch(ReadOnlySpan<string> texts, int columns,
            ReadOnlySpan<double?> labels = default, CancellationToken cancellationToken = default)
        {
            if (texts.Length % Guard.Positive(columns) != 0)
                throw new ArgumentException(texts.Length +
                    " texts are not a multiple of the columns, " + columns + ".", nameof(columns));
            int examples = texts.Length / columns;
            if (labels.Length != 0 && labels.Length != examples)
                throw new ArgumentException("There are " + labels.Length + " labels for " +
                    examples + " examples.", nameof(labels));
            var numbers = new double[labels.Length];
            for (int i = 0; i < numbers.Length; ++i) numbers[i] = labels[i] ?? double.NaN;
            var packed = new PackedTexts(texts.ToArray(), nameof(texts));
            using var scope = new CancelScope(cancellationToken);
            try
            {
                fixed (byte* data = packed.Data)
                fixed (int* offsets = packed.Offsets)
                fixed (double* scores = numbers)
                    return Native.cs_train_batch_packed(Handle, data, offsets, examples, columns,
                        scores, scope.Flag) == Ok;
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>Evaluates now: scores the dev set of config key "dev", runs the tasks of keys
        /// "evaluate.*", and keeps the weights if they are the best so far.</summary>
        /// <exception cref="OperationCanceledException">No result was kept.</exception>
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

        /// <summary>The current value of a metric, such as "loss", "lr", "step" or
        /// "samples_per_second", or the result of a task that the run evaluates, such as
        /// "sts.spearman.all". Null if it has no value.</summary>
        public double? Metric(string name)
        {
            double value = Native.cs_trainer_metric(Handle, Guard.NotNull(name));
            return double.IsNaN(value) ? null : value;
        }

        /// <summary>All metrics that have a value.</summary>
        public IReadOnlyDictionary<string, double> Metrics() =>
            Json.Numbers(Native.cs_trainer_metrics(Handle));

        /// <summary>The effective config, with every default filled in.</summary>
        public Config EffectiveConfig() => Config.Parse(Native.cs_trainer_config(Handle));

        /// <summary>Returns a copy of the trained model. Further training does not change the
        /// copy.</summary>
        public SentenceEncoder Model() => new SentenceEncoder(Result(0, reranker: false));

        /// <summary>Returns the model with the best weights on the dev set, or with the current
        /// weights if nothing was measured yet.</summary>
        public SentenceEncoder BestModel() => new SentenceEncoder(Result(1, reranker: false));

        /// <summary>Returns a copy of the trained reranker, if the run trains one. Further training
        /// does not change the copy.</summary>
        public Reranker Reranker() => new Reranker(Result(0, reranker: true));

        /// <summary>Returns the reranker with the best weights on the dev set, or with the current
        /// weights if nothing was measured yet.</summary>
        public Reranker BestReranker() => new Reranker(Result(1, reranker: true));

        // A handle of the trained model, which the caller owns. Throws State if the run trains the
        // other kind of model.
        private ModelHandle Result(int best, bool reranker)
        {
            ModelHandle model = Native.cs_trainer_model(Handle, best);
            if ((Native.cs_model_kind(model) == Contrastive.Reranker.Kind) == reranker)
                return model;
            model.Dispose();
            throw new ContrastiveException((int)ErrorKind.State,
                reranker ? "the run trains a sentence encoder: ask for its model"
                : "the run trains a reranker: ask for its reranker");
        }

        /// <summary>Writes the current model and, in the same folder, the state that
        /// <see cref="Resume"/> needs. The save is atomic.</summary>
        public void Save(string path) =>
            Native.cs_trainer_save(Handle, Guard.NotNull(path));

        /// <summary>Writes the best model on the dev set, without the state for
        /// <see cref="Resume"/>. The save is atomic.</summary>
        public void SaveBest(string path) => Native.cs_trainer_save_best(Handle,
            Guard.NotNull(path));

        /// <summary>Frees the trainer.</summary>
        public void Dispose() => handle_.Dispose();

        private const int Ok = 0;  // CS_DONE also means success
    }

    /// <summary>The progress of a run after an update.</summary>
    /// <param name="Step">The number of updates made.</param>
    /// <param name="TotalSteps">The number of updates of the whole run; null if it is
    /// unlimited.</param>
    /// <param name="Loss">The loss of the last update; null if it has none.</param>
    public readonly record struct TrainingProgress(long Step, long? TotalSteps, double? Loss)
    {
        internal TrainingProgress(Trainer trainer) : this((long)(trainer.Metric("step") ?? 0),
            (long?)trainer.Metric("total_steps"), trainer.Metric("loss")) { }

        /// <inheritdoc/>
        public override string ToString() => string.Format(CultureInfo.InvariantCulture,
            TotalSteps == null ? "step {0}, loss {2}" : "step {0} of {1}, loss {2}", Step,
            TotalSteps, Loss);
    }
}
