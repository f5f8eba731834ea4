// The description of a loaded reranker.
using System.Collections.Generic;
using System.Xml.Linq;

namespace Contrastive
{
    /// <summary>A description of a loaded reranker, from <see cref="Reranker.Info"/>.</summary>
    public sealed class RerankerInfo
    {
        internal RerankerInfo(string json)
        {
            XElement info = Contrastive.Interop.Json.Parse(json);
            Json = json;
            Family = Contrastive.Interop.Json.Text(info, "family") ?? "";
            Layers = (int)Contrastive.Interop.Json.Number(info, "layers");
            HiddenSize = (int)Contrastive.Interop.Json.Number(info, "hidden_size");
            Parameters = Contrastive.Interop.Json.Number(info, "parameters");
            Labels = Contrastive.Interop.Json.Texts(info, "labels");
            Activation = Contrastive.Interop.Json.Text(info, "activation") ?? "";
            MaxLength = (int)Contrastive.Interop.Json.Number(info, "max_length");
            Tokenizer = Contrastive.Interop.Json.Text(info, "tokenizer") ?? "";
            Prompts = Contrastive.Interop.Json.TextsByName(info, "prompts");
            DefaultPromptName = Contrastive.Interop.Json.Stated(info, "default_prompt_name");
            Device = Contrastive.Interop.Json.Text(info, "device") ?? "";
            ComputedBy = Contrastive.Interop.Json.Text(info, "computed_by") ?? "";
            Precision = Contrastive.Interop.Json.Text(info, "precision") ?? "";
            Fingerprint = Contrastive.Interop.Json.Text(info, "fingerprint") ?? "";
            Notes = Contrastive.Interop.Json.Texts(info, "notes");
        }

        /// <summary>The whole description as JSON, including members that have no property
        /// here.</summary>
        public string Json { get; }
        /// <summary>"bert", "roberta", "mpnet", ...: the model_type of its config.json.</summary>
        public string Family { get; }
        /// <summary>The number of Transformer layers.</summary>
        public int Layers { get; }
        /// <summary>The dimension of a token's state.</summary>
        public int HiddenSize { get; }
        /// <summary>The number of trainable parameters.</summary>
        public long Parameters { get; }
        /// <summary>The names of a pair's scores.</summary>
        public IReadOnlyList<string> Labels { get; }
        /// <summary>The function that is applied to the logits: "sigmoid", "identity",
        /// ...</summary>
        public string Activation { get; }
        /// <summary>The maximum number of tokens of a pair.</summary>
        public int MaxLength { get; }
        /// <summary>"wordpiece", "bpe", ...</summary>
        public string Tokenizer { get; }
        /// <summary>Prompts that can be put before a query, by name.</summary>
        public IReadOnlyDictionary<string, string> Prompts { get; }
        /// <summary>The prompt that is used by default; null if there is none.</summary>
        public string? DefaultPromptName { get; }
        /// <summary>The device on which the model runs.</summary>
        public string Device { get; }
        /// <summary>"kernels" or "libtorch".</summary>
        public string ComputedBy { get; }
        /// <summary>The floating-point type of its computation.</summary>
        public string Precision { get; }
        /// <summary>Equal for equal rerankers.</summary>
        public string Fingerprint { get; }
        /// <summary>Settings that were defaulted, renamed or ignored.</summary>
        public IReadOnlyList<string> Notes { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
