// Written by bindings/options.py from the keys of core: do not edit.
#nullable enable
using System;

namespace Contrastive
{
    /// <summary>A metric of search results.</summary>
    public enum SearchMetric
    {
        /// <summary>The value "ndcg@10".</summary>
        NdcgAt10,
        /// <summary>The value "mrr@10".</summary>
        MrrAt10,
        /// <summary>The value "recall@1".</summary>
        RecallAt1,
        /// <summary>The value "recall@10".</summary>
        RecallAt10,
    }

    /// <summary>Typed options of an adaptation. An option that is not set has the default of the
    /// library or of the method. ToConfig makes a config, to which you can add any other key. Keys
    /// "METHOD.name" belong to the chosen method; not every method has each of them.</summary>
    public sealed class AdaptOptions
    {
        /// <summary>The training method (reranker is not one of them); default mnrl. Key
        /// method.</summary>
        public TrainingMethod Method { get; set; } = TrainingMethod.Mnrl;
        /// <summary>Decides every random choice: the split, what is drawn, the training, the
        /// resamples. Key seed, at least 0.</summary>
        public long? Seed { get; set; }
        /// <summary>File of pairs by which the best weights are chosen, read with the keys data.*;
        /// empty: a part of the pairs. Key dev.</summary>
        public string? Dev { get; set; }
        /// <summary>Share of the pairs that is held out and decides whether the model is better.
        /// Key test_share, from 0.01 to 0.9.</summary>
        public double? TestShare { get; set; }
        /// <summary>Share of the pairs that is held out to choose the best weights, if dev is
        /// empty. Key dev_share, from 0.01 to 0.9.</summary>
        public double? DevShare { get; set; }
        /// <summary>Metric that decides the test. Key metric.</summary>
        public SearchMetric? Metric { get; set; }
        /// <summary>A model is written if the metric rises by at least this; with 0 it must rise.
        /// Key min_gain, from 0 to 1.</summary>
        public double? MinGain { get; set; }
        /// <summary>Write the model only if the interval of the gain is above 0 too. Key
        /// require_significant.</summary>
        public bool? RequireSignificant { get; set; }
        /// <summary>Mine hard negatives for the training pairs; false: train on the plain pairs.
        /// Key mine.</summary>
        public bool? Mine { get; set; }
        /// <summary>Negatives of each pair. Key mining.num_negatives, from 1 to 1000.</summary>
        public int? NumNegatives { get; set; }
        /// <summary>Text put before queries; empty: the model's own prompt named query, if it has
        /// one. Key query_prompt.</summary>
        public string? QueryPrompt { get; set; }
        /// <summary>Text put before documents; empty: the model's own prompt named document,
        /// passage or corpus, if it has one. Key document_prompt.</summary>
        public string? DocumentPrompt { get; set; }
        /// <summary>Examples of a batch; the loss is taken over one batch. Key batch_size, from 1
        /// to 1048576.</summary>
        public int? BatchSize { get; set; }
        /// <summary>Batches of one update; 'negatives' decides how they are combined. Key
        /// accumulate, from 1 to 1048576.</summary>
        public int? Accumulate { get; set; }
        /// <summary>Passes over the training pairs; if neither this nor max_steps is set, 3 to 20,
        /// for about 200 updates. Key epochs, at least 1.</summary>
        public int? Epochs { get; set; }
        /// <summary>Number of updates; 0 = as 'epochs' says; if both are set, the shorter run
        /// applies. Key max_steps, at least 0.</summary>
        public int? MaxSteps { get; set; }
        /// <summary>Peak learning rate. Key lr, above 0 to 1000.</summary>
        public double? LearningRate { get; set; }
        /// <summary>Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.</summary>
        public double? WarmupRatio { get; set; }
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
        /// <summary>Maximum number of ids of a text, special tokens included; longer texts are cut;
        /// 0 = the model's. Key METHOD.max_length, from 0 to 1000000.</summary>
        public int? MaxLength { get; set; }
        /// <summary>Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot
        /// products of vectors that are not normalized. Key METHOD.scale, above 0 to
        /// 10000.</summary>
        public double? Scale { get; set; }
        /// <summary>Train low-rank adapters of this rank for the encoder's matrices, which do not
        /// change: far less memory for gradients and moments; 0 = train the encoder itself. Key
        /// METHOD.lora_rank, from 0 to 4096.</summary>
        public int? LoraRank { get; set; }
        /// <summary>Updates between dev evaluations; if no key sets this, the run has 10
        /// evaluations. Key eval_every, at least 0.</summary>
        public int? EvalEvery { get; set; }
        /// <summary>Dev evaluations that 'early_stop' counts before the run ends early; an
        /// undefined score counts too; 0 = never. Key patience, at least 0.</summary>
        public int? Patience { get; set; }
        /// <summary>Updates between two saves of the training, so that it can resume after a kill.
        /// Key save_every, at least 1.</summary>
        public int? SaveEvery { get; set; }
        /// <summary>Folder that gets the report as adapt.json; empty: none is written. Key
        /// report.</summary>
        public string? Report { get; set; }

        /// <summary>The options as a config. With adds any other key: Config.Describe("adapt")
        /// lists every key of an adaptation.</summary>
        /// <exception cref="ArgumentException">A number is NaN or infinite, or an
        /// enumeration has a value without a name.</exception>
        public Config ToConfig()
        {
            string method = OptionNames.Of(Method);
            Config config = Config.Empty.With("method", method);
            if (Seed.HasValue) config = config.With("seed", Seed.Value);
            if (Dev != null) config = config.With("dev", Dev);
            if (TestShare.HasValue) config = config.With("test_share", TestShare.Value);
            if (DevShare.HasValue) config = config.With("dev_share", DevShare.Value);
            if (Metric.HasValue) config = config.With("metric", OptionNames.Of(Metric.Value));
            if (MinGain.HasValue) config = config.With("min_gain", MinGain.Value);
            if (RequireSignificant.HasValue)
                config = config.With("require_significant", RequireSignificant.Value);
            if (Mine.HasValue) config = config.With("mine", Mine.Value);
            if (NumNegatives.HasValue)
                config = config.With("mining.num_negatives", NumNegatives.Value);
            if (QueryPrompt != null) config = config.With("query_prompt", QueryPrompt);
            if (DocumentPrompt != null) config = config.With("document_prompt", DocumentPrompt);
            if (BatchSize.HasValue) config = config.With("batch_size", BatchSize.Value);
            if (Accumulate.HasValue) config = config.With("accumulate", Accumulate.Value);
            if (Epochs.HasValue) config = config.With("epochs", Epochs.Value);
            if (MaxSteps.HasValue) config = config.With("max_steps", MaxSteps.Value);
            if (LearningRate.HasValue) config = config.With("lr", LearningRate.Value);
            if (WarmupRatio.HasValue) config = config.With("warmup_ratio", WarmupRatio.Value);
            if (MixedPrecision.HasValue)
                config = config.With("amp", OptionNames.Of(MixedPrecision.Value));
            if (GradientCheckpointing.HasValue)
                config = config.With("gradient_checkpointing", GradientCheckpointing.Value);
            if (Threads.HasValue) config = config.With("threads", Threads.Value);
            if (MaxLength.HasValue) config = config.With(method + ".max_length", MaxLength.Value);
            if (Scale.HasValue) config = config.With(method + ".scale", Scale.Value);
            if (LoraRank.HasValue) config = config.With(method + ".lora_rank", LoraRank.Value);
            if (EvalEvery.HasValue) config = config.With("eval_every", EvalEvery.Value);
            if (Patience.HasValue) config = config.With("patience", Patience.Value);
            if (SaveEvery.HasValue) config = config.With("save_every", SaveEvery.Value);
            if (Report != null) config = config.With("report", Report);
            return config;
        }

        /// <summary>The options as a config.</summary>
        public static implicit operator Config(AdaptOptions options) =>
            (options ?? throw new ArgumentNullException(nameof(options))).ToConfig();
    }
}
