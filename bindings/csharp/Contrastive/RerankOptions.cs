// Options for scoring pairs with a reranker.
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>Options for scoring pairs with a reranker. An option that is null has the model's
    /// default.</summary>
    public sealed class RerankOptions
    {
        internal static readonly RerankOptions AsTheModelSays = new RerankOptions();

        private int? maxLength_, batchTokens_;

        /// <summary>The function that is applied to the logits: "identity", "sigmoid", "softmax"
        /// over the labels of a pair, ...</summary>
        public string? Activation { get; set; }
        /// <summary>A prompt that is put before every query; "" for none.</summary>
        public string? Prompt { get; set; }
        /// <summary>The name of one of the model's own prompts, instead of Prompt.</summary>
        public string? PromptName { get; set; }
        /// <summary>The maximum number of tokens of a pair; null: the model's own limit.</summary>
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
    }
}
