// What was loaded.
using System.Collections.Generic;
using System.Xml.Linq;

namespace Contrastive
{
    /// <summary>What <see cref="SentenceEncoder.Info"/> says was loaded.</summary>
    public sealed class ModelInfo
    {
        internal ModelInfo(string json)
        {
            XElement info = Contrastive.Interop.Json.Parse(json);
            Json = json;
            Family = Contrastive.Interop.Json.Text(info, "family") ?? "";
            Layers = (int)Contrastive.Interop.Json.Number(info, "layers");
            HiddenSize = (int)Contrastive.Interop.Json.Number(info, "hidden_size");
            Parameters = Contrastive.Interop.Json.Number(info, "parameters");
            Dimension = (int)Contrastive.Interop.Json.Number(info, "dimension");
            MaxLength = (int)Contrastive.Interop.Json.Number(info, "max_length");
            Tokenizer = Contrastive.Interop.Json.Text(info, "tokenizer") ?? "";
            Pooling = Contrastive.Interop.Json.Texts(info, "pooling");
            Normalize = Contrastive.Interop.Json.Text(info, "normalize") == "true";
            Prompts = Contrastive.Interop.Json.TextsByName(info, "prompts");
            DefaultPromptName = Contrastive.Interop.Json.Stated(info, "default_prompt_name");
            Similarity = Contrastive.Interop.Json.Stated(info, "similarity");
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
        /// <summary>Floats of one embedding.</summary>
        public int Dimension { get; }
        /// <summary>Tokens of the longest text that is embedded whole.</summary>
        public int MaxLength { get; }
        /// <summary>"wordpiece", "bpe", ...</summary>
        public string Tokenizer { get; }
        /// <summary>How token states become one vector.</summary>
        public IReadOnlyList<string> Pooling { get; }
        /// <summary>Whether embeddings have unit length.</summary>
        public bool Normalize { get; }
        /// <summary>Texts that are put before a text, by name.</summary>
        public IReadOnlyDictionary<string, string> Prompts { get; }
        /// <summary>Which of them is put before a text by default; null if none is.</summary>
        public string? DefaultPromptName { get; }
        /// <summary>How embeddings are to be compared; null if the model does not say.</summary>
        public string? Similarity { get; }
        /// <summary>Where it computes.</summary>
        public string Device { get; }
        /// <summary>"kernels" or "libtorch".</summary>
        public string ComputedBy { get; }
        /// <summary>What it computes with.</summary>
        public string Precision { get; }
        /// <summary>Equal fingerprints are equal models: store it beside embeddings.</summary>
        public string Fingerprint { get; }
        /// <summary>What was defaulted, renamed or ignored.</summary>
        public IReadOnlyList<string> Notes { get; }

        /// <inheritdoc/>
        public override string ToString() => Json;
    }
}
