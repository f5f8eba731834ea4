// Options for embedding texts.
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Options for embedding texts. An option that is null has the model's
    /// default.</summary>
    public sealed class EncodeOptions
    {
        internal static readonly EncodeOptions AsTheModelSays = new EncodeOptions();

        private int? truncateDimension_, maxLength_, batchTokens_;

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
        /// <summary>The number of dimensions to keep, from the first (for Matryoshka models); null:
        /// all.</summary>
        public int? TruncateDimension
        {
            get => truncateDimension_;
            set => truncateDimension_ = Guard.PositiveOrNull(value);
        }
        /// <summary>The maximum number of tokens of a text; null: the model's own limit.</summary>
        public int? MaxLength
        {
            get => maxLength_;
            set => maxLength_ = Guard.PositiveOrNull(value);
        }
        /// <summary>The maximum number of tokens in an internal batch. It bounds memory and changes
        /// at most the last bits of the result. Null: chosen automatically.</summary>
        public int? BatchTokens
        {
            get => batchTokens_;
            set => batchTokens_ = Guard.PositiveOrNull(value);
        }

        internal int NormalizeFlag
        {
            get
            {
                bool? now = Normalize;  // read once: another thread may set it
                return now.HasValue ? (now.Value ? 1 : 0) : -1;
            }
        }

        // Whether embeddings have the model's own dimension.
        internal bool KeepsDimension => Pooling == null && TruncateDimension == null;
    }
}
