// Options for embedding texts.
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Options for embedding texts. An option that is not set has the model's
    /// default.</summary>
    public sealed class EncodeOptions
    {
        internal static readonly EncodeOptions AsTheModelSays = new EncodeOptions();

        /// <summary>Whether embeddings are scaled to unit length.</summary>
        public bool? Normalize { get; set; }
        /// <summary>How the token states are pooled into one vector: "mean", "cls", "max",
        /// "mean-sqrt", "first-last", ...</summary>
        public string? Pooling { get; set; }
        /// <summary>A prompt that is put before every text; "" for none.</summary>
        public string? Prompt { get; set; }
        /// <summary>The name of one of the model's own prompts, such as "query", instead of
        /// Prompt.</summary>
        public string? PromptName { get; set; }
        /// <summary>The number of dimensions to keep, from the first (for Matryoshka models); 0:
        /// all.</summary>
        public int TruncateDimension { get; set; }
        /// <summary>The maximum number of tokens of a text; 0: the model's own limit.</summary>
        public int MaxLength { get; set; }
        /// <summary>The maximum number of tokens in an internal batch. It bounds memory and changes
        /// at most the last bits of the result. 0: chosen automatically.</summary>
        public int BatchTokens { get; set; }

        internal int NormalizeFlag
        {
            get
            {
                bool? now = Normalize;  // read once: another thread may set it
                return now.HasValue ? (now.Value ? 1 : 0) : -1;
            }
        }

        /// <summary>Whether embeddings have the model's own dimension.</summary>
        internal bool KeepsDimension => Pooling == null && TruncateDimension == 0;
    }
}
