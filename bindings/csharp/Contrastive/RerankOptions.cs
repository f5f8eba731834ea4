// How pairs are scored.
namespace Contrastive
{
    /// <summary>How pairs are scored. What is not set is as the model says.</summary>
    public sealed class RerankOptions
    {
        internal static readonly RerankOptions AsTheModelSays = new RerankOptions();

        /// <summary>What the logits go through: "identity", "sigmoid", "softmax" over a pair's
        /// several labels, ...</summary>
        public string? Activation { get; set; }
        /// <summary>A text that is put before every query, "" for none.</summary>
        public string? Prompt { get; set; }
        /// <summary>Or the name of one of the model's prompts.</summary>
        public string? PromptName { get; set; }
        /// <summary>Tokens of a pair at most; 0: the model's own limit.</summary>
        public int MaxLength { get; set; }
        /// <summary>Token budget of one internal batch, which bounds memory and changes no more
        /// than last bits; 0: chosen.</summary>
        public int BatchTokens { get; set; }
    }
}
