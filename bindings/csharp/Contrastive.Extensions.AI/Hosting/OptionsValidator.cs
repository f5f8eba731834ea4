// Checks options without loading the model.
using System.Collections.Generic;
using System.IO;
using Microsoft.Extensions.Options;

namespace Contrastive.Extensions.AI
{
    internal sealed class OptionsValidator : IValidateOptions<ContrastiveEmbeddingGeneratorOptions>
    {
        public ValidateOptionsResult Validate(string? name,
            ContrastiveEmbeddingGeneratorOptions options)
        {
            var failures = new List<string>();
            if (string.IsNullOrWhiteSpace(options.ModelPath))
                failures.Add("ModelPath is missing. Set it to the folder of a " +
                    "sentence-transformers or Hugging Face model.");
            else if (!Directory.Exists(options.ModelPath))
                failures.Add("ModelPath: there is no folder " +
                    Path.GetFullPath(options.ModelPath) + ".");
            if (options.MaxConcurrentCalls < 1)
                failures.Add("MaxConcurrentCalls must be at least 1, not " +
                    options.MaxConcurrentCalls + ".");
            if (options.Encode == null)
            {
                failures.Add("Encode is null.");
                return ValidateOptionsResult.Fail(failures);
            }
            if (options.Encode.Prompt != null && options.Encode.PromptName != null)
                failures.Add("Encode has a Prompt and a PromptName. Set one of them.");
            return failures.Count == 0 ? ValidateOptionsResult.Success
                : ValidateOptionsResult.Fail(failures);
        }
    }
}
