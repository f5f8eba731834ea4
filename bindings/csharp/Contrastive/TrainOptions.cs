// Written by bindings/options.py from the keys of core: do not edit.
#nullable enable
using System;
using System.Collections.Generic;

namespace Contrastive
{
    /// <summary>A training method.</summary>
    public enum TrainingMethod
    {
        /// <summary>The value "clsr".</summary>
        Clsr,
        /// <summary>The value "consert".</summary>
        Consert,
        /// <summary>The value "mnrl".</summary>
        Mnrl,
        /// <summary>The value "sgopt".</summary>
        Sgopt,
        /// <summary>The value "simcse".</summary>
        Simcse,
        /// <summary>The value "clear".</summary>
        Clear,
        /// <summary>The value "scored".</summary>
        Scored,
        /// <summary>The value "triplet".</summary>
        Triplet,
        /// <summary>The value "distill".</summary>
        Distill,
        /// <summary>The value "tsdae".</summary>
        Tsdae,
        /// <summary>The value "reranker".</summary>
        Reranker,
    }

    /// <summary>How the learning rate changes during a run.</summary>
    public enum LearningRateSchedule
    {
        /// <summary>The value "constant".</summary>
        Constant,
        /// <summary>The value "warmup-linear".</summary>
        WarmupLinear,
        /// <summary>The value "warmup-cosine".</summary>
        WarmupCosine,
        /// <summary>The value "fairseq-linear".</summary>
        FairseqLinear,
    }

    /// <summary>An optimizer.</summary>
    public enum TrainingOptimizer
    {
        /// <summary>The value "lars".</summary>
        Lars,
        /// <summary>The value "sgd".</summary>
        Sgd,
        /// <summary>The value "adam".</summary>
        Adam,
        /// <summary>The value "adamw".</summary>
        Adamw,
        /// <summary>The value "adamw-hf".</summary>
        AdamwHf,
    }

    /// <summary>The type in which the encoder multiplies during training.</summary>
    public enum MixedPrecision
    {
        /// <summary>The value "off".</summary>
        Off,
        /// <summary>The value "bfloat16".</summary>
        Bfloat16,
        /// <summary>The value "float16".</summary>
        Float16,
    }

    /// <summary>Typed options of a training run. An option that is not set has the default of the
    /// library or of the method. ToConfig makes a config, to which you can add any other key. Keys
    /// "METHOD.name" belong to the chosen method; not every method has each of them.</summary>
    public sealed class TrainOptions
    {
        /// <summary>The training method; default mnrl. Key method.</summary>
        public TrainingMethod Method { get; set; } = TrainingMethod.Mnrl;
        /// <summary>Decides every random choice: order, initial weights, augmentations, dropout.
        /// Key seed, at least 0.</summary>
        public long? Seed { get; set; }
        /// <summary>Examples of a batch; the loss is taken over one batch. Key batch_size, from 1
        /// to 1048576.</summary>
        public int? BatchSize { get; set; }
        /// <summary>Batches of one update; 'negatives' decides how they are combined. Key
        /// accumulate, from 1 to 1048576.</summary>
        public int? Accumulate { get; set; }
        /// <summary>Passes over the dataset. Key epochs, at least 1.</summary>
        public int? Epochs { get; set; }
        /// <summary>Number of updates; 0 = as 'epochs' says; if both are set, the shorter run
        /// applies. Key max_steps, at least 0.</summary>
        public int? MaxSteps { get; set; }
        /// <summary>Peak learning rate. Key lr, above 0 to 1000.</summary>
        public double? LearningRate { get; set; }
        /// <summary>Schedule of the learning rate. Key schedule.</summary>
        public LearningRateSchedule? Schedule { get; set; }
        /// <summary>Updates in which the learning rate rises from 0. Key warmup_steps, at least
        /// 0.</summary>
        public int? WarmupSteps { get; set; }
        /// <summary>Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.</summary>
        public double? WarmupRatio { get; set; }
        /// <summary>Optimizer: adamw is PyTorch's variant, adamw-hf that of transformers, which
        /// ConSERT and SG-OPT used. Key optimizer.</summary>
        public TrainingOptimizer? Optimizer { get; set; }
        /// <summary>Weight decay, for every weight that is neither a bias nor a LayerNorm weight.
        /// Key weight_decay, from 0 to 10.</summary>
        public double? WeightDecay { get; set; }
        /// <summary>Maximum norm of the gradient; 0 = no limit. Key clip_norm, at least
        /// 0.</summary>
        public double? ClipNorm { get; set; }
        /// <summary>Mixed precision: the encoder's products in 16 bits, weights and objectives in
        /// float32; float16 needs a CUDA device and scales the loss. Key amp.</summary>
        public MixedPrecision? MixedPrecision { get; set; }
        /// <summary>Keep only each layer's input for the backward pass and recompute the rest: less
        /// memory, a third more work, bit-identical results on the CPU. Key
        /// gradient_checkpointing.</summary>
        public bool? GradientCheckpointing { get; set; }
        /// <summary>Threads that an update or evaluation uses at most, besides data_threads, so
        /// that training in the background leaves processors to others; 0 = all threads of the
        /// process. Key threads, from 0 to 1024.</summary>
        public int? Threads { get; set; }
        /// <summary>Threads that read and tokenise the texts of the next updates during training; 0
        /// = the training thread does it. Results do not depend on it. Key data_threads, from 0 to
        /// 64.</summary>
        public int? DataThreads { get; set; }
        /// <summary>Maximum number of ids of a text, special tokens included; longer texts are cut;
        /// 0 = the model's. Key METHOD.max_length, from 0 to 1000000.</summary>
        public int? MaxLength { get; set; }
        /// <summary>Divides every cosine. Key METHOD.temperature, from 0.0001 to 10000.</summary>
        public double? Temperature { get; set; }
        /// <summary>Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot
        /// products of vectors that are not normalized. Key METHOD.scale, above 0 to
        /// 10000.</summary>
        public double? Scale { get; set; }
        /// <summary>Train low-rank adapters of this rank for the encoder's matrices, which do not
        /// change: far less memory for gradients and moments; 0 = train the encoder itself. Key
        /// METHOD.lora_rank, from 0 to 4096.</summary>
        public int? LoraRank { get; set; }
        /// <summary>Dimensions to cut the vectors to: the losses of the cut vectors are added, so
        /// that users may cut stored vectors. Include the model's own dimension. Empty = whole
        /// vectors only. Key matryoshka.dims, from 1 to 131072.</summary>
        public IReadOnlyList<int>? MatryoshkaDims { get; set; }
        /// <summary>File to measure progress on: lines 'score TAB text TAB text', or 'text TAB
        /// text' for pairs to retrieve; for a reranker, lines with scores, or queries with right
        /// and wrong documents, as mining writes them. Key dev.</summary>
        public string? Dev { get; set; }
        /// <summary>Updates between dev evaluations; 0 = at the end. Key eval_every, at least
        /// 0.</summary>
        public int? EvalEvery { get; set; }
        /// <summary>Updates between two runs of the tasks in keys 'evaluate.*', which also run at
        /// the end; 0 = with the dev evaluations. Key evaluate_every, at least 0.</summary>
        public int? EvaluateEvery { get; set; }
        /// <summary>Dev evaluations that 'early_stop' counts before the run ends early; an
        /// undefined score counts too; 0 = never. Key patience, at least 0.</summary>
        public int? Patience { get; set; }
        /// <summary>Folder for automatic checkpoints: step-N every 'save_every' updates and at the
        /// end, and best, the best weights on 'dev'; a run with stages has a subfolder for each
        /// stage. Key checkpoints.</summary>
        public string? Checkpoints { get; set; }
        /// <summary>Updates between two automatic checkpoints; 0 = at the end only. Key save_every,
        /// at least 0.</summary>
        public int? SaveEvery { get; set; }
        /// <summary>Number of newest automatic checkpoints to keep; 0 = all. Key keep, at least
        /// 0.</summary>
        public int? Keep { get; set; }
        /// <summary>File to which JSON lines of metrics are appended; null means not measured since
        /// the previous line. A killed run that resumes from its last save repeats the steps after
        /// it: use the last line of each step. An existing file without such lines is refused. Key
        /// metrics_file.</summary>
        public string? MetricsFile { get; set; }

        /// <summary>The options as a config. With adds any other key: Config.Describe("train")
        /// lists every key of a run.</summary>
        /// <exception cref="ArgumentException">A number is NaN or infinite, or an
        /// enumeration has a value without a name.</exception>
        public Config ToConfig()
        {
            string method = OptionNames.Of(Method);
            Config config = Config.Empty.With("method", method);
            if (Seed.HasValue) config = config.With("seed", Seed.Value);
            if (BatchSize.HasValue) config = config.With("batch_size", BatchSize.Value);
            if (Accumulate.HasValue) config = config.With("accumulate", Accumulate.Value);
            if (Epochs.HasValue) config = config.With("epochs", Epochs.Value);
            if (MaxSteps.HasValue) config = config.With("max_steps", MaxSteps.Value);
            if (LearningRate.HasValue) config = config.With("lr", LearningRate.Value);
            if (Schedule.HasValue) config = config.With("schedule", OptionNames.Of(Schedule.Value));
            if (WarmupSteps.HasValue) config = config.With("warmup_steps", WarmupSteps.Value);
            if (WarmupRatio.HasValue) config = config.With("warmup_ratio", WarmupRatio.Value);
            if (Optimizer.HasValue)
                config = config.With("optimizer", OptionNames.Of(Optimizer.Value));
            if (WeightDecay.HasValue) config = config.With("weight_decay", WeightDecay.Value);
            if (ClipNorm.HasValue) config = config.With("clip_norm", ClipNorm.Value);
            if (MixedPrecision.HasValue)
                config = config.With("amp", OptionNames.Of(MixedPrecision.Value));
            if (GradientCheckpointing.HasValue)
                config = config.With("gradient_checkpointing", GradientCheckpointing.Value);
            if (Threads.HasValue) config = config.With("threads", Threads.Value);
            if (DataThreads.HasValue) config = config.With("data_threads", DataThreads.Value);
            if (MaxLength.HasValue) config = config.With(method + ".max_length", MaxLength.Value);
            if (Temperature.HasValue)
                config = config.With(method + ".temperature", Temperature.Value);
            if (Scale.HasValue) config = config.With(method + ".scale", Scale.Value);
            if (LoraRank.HasValue) config = config.With(method + ".lora_rank", LoraRank.Value);
            if (MatryoshkaDims != null) config = config.With("matryoshka.dims", MatryoshkaDims);
            if (Dev != null) config = config.With("dev", Dev);
            if (EvalEvery.HasValue) config = config.With("eval_every", EvalEvery.Value);
            if (EvaluateEvery.HasValue) config = config.With("evaluate_every", EvaluateEvery.Value);
            if (Patience.HasValue) config = config.With("patience", Patience.Value);
            if (Checkpoints != null) config = config.With("checkpoints", Checkpoints);
            if (SaveEvery.HasValue) config = config.With("save_every", SaveEvery.Value);
            if (Keep.HasValue) config = config.With("keep", Keep.Value);
            if (MetricsFile != null) config = config.With("metrics_file", MetricsFile);
            return config;
        }

        /// <summary>The options as a config.</summary>
        public static implicit operator Config(TrainOptions options) =>
            (options ?? throw new ArgumentNullException(nameof(options))).ToConfig();
    }

    // The names of enumerations in a config.
    internal static class OptionNames
    {
        internal static string Of(TrainingMethod value)
        {
            switch (value)
            {
                case TrainingMethod.Clsr: return "clsr";
                case TrainingMethod.Consert: return "consert";
                case TrainingMethod.Mnrl: return "mnrl";
                case TrainingMethod.Sgopt: return "sgopt";
                case TrainingMethod.Simcse: return "simcse";
                case TrainingMethod.Clear: return "clear";
                case TrainingMethod.Scored: return "scored";
                case TrainingMethod.Triplet: return "triplet";
                case TrainingMethod.Distill: return "distill";
                case TrainingMethod.Tsdae: return "tsdae";
                case TrainingMethod.Reranker: return "reranker";
                default: throw new ArgumentException(
                    "there is no TrainingMethod " + (int)value, nameof(value));
            }
        }

        internal static string Of(LearningRateSchedule value)
        {
            switch (value)
            {
                case LearningRateSchedule.Constant: return "constant";
                case LearningRateSchedule.WarmupLinear: return "warmup-linear";
                case LearningRateSchedule.WarmupCosine: return "warmup-cosine";
                case LearningRateSchedule.FairseqLinear: return "fairseq-linear";
                default: throw new ArgumentException(
                    "there is no LearningRateSchedule " + (int)value, nameof(value));
            }
        }

        internal static string Of(TrainingOptimizer value)
        {
            switch (value)
            {
                case TrainingOptimizer.Lars: return "lars";
                case TrainingOptimizer.Sgd: return "sgd";
                case TrainingOptimizer.Adam: return "adam";
                case TrainingOptimizer.Adamw: return "adamw";
                case TrainingOptimizer.AdamwHf: return "adamw-hf";
                default: throw new ArgumentException(
                    "there is no TrainingOptimizer " + (int)value, nameof(value));
            }
        }

        internal static string Of(MixedPrecision value)
        {
            switch (value)
            {
                case MixedPrecision.Off: return "off";
                case MixedPrecision.Bfloat16: return "bfloat16";
                case MixedPrecision.Float16: return "float16";
                default: throw new ArgumentException(
                    "there is no MixedPrecision " + (int)value, nameof(value));
            }
        }

        internal static string Of(SearchMetric value)
        {
            switch (value)
            {
                case SearchMetric.NdcgAt10: return "ndcg@10";
                case SearchMetric.MrrAt10: return "mrr@10";
                case SearchMetric.RecallAt1: return "recall@1";
                case SearchMetric.RecallAt10: return "recall@10";
                default: throw new ArgumentException(
                    "there is no SearchMetric " + (int)value, nameof(value));
            }
        }
    }
}
