// How texts are embedded.
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>How texts are embedded. What is not set is as the model says.</summary>
    public sealed class EncodeOptions
    {
        internal static readonly EncodeOptions AsTheModelSays = new EncodeOptions();

        /// <summary>Whether embeddings are scaled to unit length.</summary>
        public bool? Normalize { get; set; }
        /// <summary>"mean", "cls", "max", "mean-sqrt", "first-last", ...</summary>
        public string? Pooling { get; set; }
        /// <summary>A text that is put before every text, "" for none.</summary>
        public string? Prompt { get; set; }
        /// <summary>Or the name of one of the model's prompts, such as "query".</summary>
        public string? PromptName { get; set; }
        /// <summary>How many of the first dimensions are kept (Matryoshka models); 0:
        /// all.</summary>
        public int TruncateDimension { get; set; }
        /// <summary>Tokens of a text at most; 0: the model's own limit.</summary>
        public int MaxLength { get; set; }
        /// <summary>Token budget of one internal batch, which bounds memory and changes no more
        /// than last bits; 0: chosen.</summary>
        public int BatchTokens { get; set; }

        internal int NormalizeFlag
        {
            get
            {
                bool? now = Normalize;  // read once: another thread may set it
                return now.HasValue ? (now.Value ? 1 : 0) : -1;
            }
        }

        /// <summary>Whether embeddings have the length that the model states.</summary>
        internal bool KeepsDimension => Pooling == null && TruncateDimension == 0;
    }
}
