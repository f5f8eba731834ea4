// What was loaded.
using System.Collections.Generic;
using System.Xml.Linq;

namespace Contrastive
{
    /// <summary>What <see cref="Reranker.Info"/> says was loaded.</summary>
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

        /// <summary>All of it, with the members that have no property here.</summary>
        public string Json { get; }
        /// <summary>"bert", "roberta", "mpnet", ...: the model_type of its config.json.</summary>
        public string Family { get; }
        /// <summary>Transformer layers.</summary>
        public int Layers { get; }
        /// <summary>Width of a token's state.</summary>
        public int HiddenSize { get; }
        /// <summary>Numbers that were learnt.</summary>
        public long Parameters { get; }
        /// <summary>What the scores of a pair are called.</summary>
        public IReadOnlyList<string> Labels { get; }
        /// <summary>What the logits go through: "sigmoid", "identity", ...</summary>
        public string Activation { get; }
        /// <summary>Tokens of the longest pair that is read whole.</summary>
        public int MaxLength { get; }
        /// <summary>"wordpiece", "bpe", ...</summary>
        public string Tokenizer { get; }
        /// <summary>Texts that are put before a query, by name.</summary>
        public IReadOnlyDictionary<string, string> Prompts { get; }
        /// <summary>Which of them is put before a query by default; null if none is.</summary>
        public string? DefaultPromptName { get; }
        /// <summary>Where it computes.</summary>
        public string Device { get; }
        /// <summary>"kernels" or "libtorch".</summary>
        public string ComputedBy { get; }
        /// <summary>What it computes with.</summary>
        public string Precision { get; }
        /// <summary>Equal fingerprints are equal rerankers.</summary>
        public string Fingerprint { get; }
        /// <summary>What was defaulted, renamed or ignored.</summary>
        public IReadOnlyList<string> Notes { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
