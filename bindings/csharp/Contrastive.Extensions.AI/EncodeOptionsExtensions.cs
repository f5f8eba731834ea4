// How a request to a generator says how its texts are embedded.
using System;
using System.Globalization;
using Microsoft.Extensions.AI;

namespace Contrastive.Extensions.AI
{
    /// <summary>Passes <see cref="EncodeOptions"/> through Microsoft.Extensions.AI.</summary>
    public static class EncodeOptionsExtensions
    {
        // Names of additional properties of a request. They are compared without underscores and
        // without case, so that promptName is understood too.
        private const string Normalize = "normalize", Pooling = "pooling", Prompt = "prompt",
            PromptName = "prompt_name", MaxLength = "max_length", BatchTokens = "batch_tokens";

        /// <summary>Options for a request that embeds its texts in this way. They are additional
        /// properties (prompt_name, prompt, normalize, pooling, max_length, batch_tokens), so that
        /// caches tell requests with different options apart.</summary>
        /// <example><code>
        /// var query = new EncodeOptions { PromptName = "query" }.ToGenerationOptions();
        /// ReadOnlyMemory&lt;float&gt; vector = await generator.GenerateVectorAsync(text, query);
        /// </code></example>
        public static EmbeddingGenerationOptions ToGenerationOptions(this EncodeOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            var properties = new AdditionalPropertiesDictionary();
            if (options.Normalize is bool normalize) properties[Normalize] = normalize;
            if (options.Pooling != null) properties[Pooling] = options.Pooling;
            if (options.Prompt != null) properties[Prompt] = options.Prompt;
            if (options.PromptName != null) properties[PromptName] = options.PromptName;
            if (options.MaxLength != null) properties[MaxLength] = options.MaxLength;
            if (options.BatchTokens != null) properties[BatchTokens] = options.BatchTokens;
            return new EmbeddingGenerationOptions
            {
                AdditionalProperties = properties,
                Dimensions = options.TruncateDimension
            };
        }

        /// <summary>What a request says, and the defaults for the rest.</summary>
        internal static EncodeOptions Resolve(EncodeOptions defaults,
            EmbeddingGenerationOptions? request, IEmbeddingGenerator generator)
        {
            EncodeOptions resolved = Over(defaults, new EncodeOptions());
            if (request == null) return resolved;
            switch (request.RawRepresentationFactory?.Invoke(generator))
            {
                case null: break;
                case EncodeOptions raw: resolved = Over(raw, resolved); break;
                case object other:
                    throw new ArgumentException("RawRepresentationFactory returned a " +
                        other.GetType() + "; this generator understands " + typeof(EncodeOptions) +
                        ".", nameof(request));
            }
            resolved = Over(FromProperties(request.AdditionalProperties), resolved);
            if (request.Dimensions != null) resolved.TruncateDimension = request.Dimensions;
            return resolved;
        }

        /// <summary>A copy of the options below, with those above that are set.</summary>
        private static EncodeOptions Over(EncodeOptions above, EncodeOptions below)
        {
            bool prompted = above.Prompt != null || above.PromptName != null;
            return new EncodeOptions
            {
                Normalize = above.Normalize ?? below.Normalize,
                Pooling = above.Pooling ?? below.Pooling,
                Prompt = prompted ? above.Prompt : below.Prompt,
                PromptName = prompted ? above.PromptName : below.PromptName,
                TruncateDimension = above.TruncateDimension ?? below.TruncateDimension,
                MaxLength = above.MaxLength ?? below.MaxLength,
                BatchTokens = above.BatchTokens ?? below.BatchTokens
            };
        }

        private static EncodeOptions FromProperties(AdditionalPropertiesDictionary? properties)
        {
            var options = new EncodeOptions();
            if (properties == null) return options;
            foreach (var property in properties)
            {
                string name = Plain(property.Key);
                if (property.Value == null) continue;
                if (name == Plain(Normalize))
                    options.Normalize = Flag(property.Key, property.Value);
                else if (name == Plain(Pooling)) options.Pooling = Text(property.Value);
                else if (name == Plain(Prompt)) options.Prompt = Text(property.Value);
                else if (name == Plain(PromptName)) options.PromptName = Text(property.Value);
                else if (name == Plain(MaxLength))
                    options.MaxLength = Number(property.Key, property.Value);
                else if (name == Plain(BatchTokens))
                    options.BatchTokens = Number(property.Key, property.Value);
            }
            return options;
        }

        private static string Plain(string name) =>
            name.Replace("_", "").ToLowerInvariant();

        // A request that was read from JSON has JsonElements, whose text is the value.
        private static string Text(object? value) =>
            Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";

        private static bool Flag(string name, object value) =>
            bool.TryParse(Text(value), out bool flag) ? flag
            : throw new ArgumentException("The additional property '" + name +
                "' must be true or false, not '" + Text(value) + "'.");

        private static int Number(string name, object value) =>
            int.TryParse(Text(value), NumberStyles.None, CultureInfo.InvariantCulture,
                out int number) && number > 0 ? number
            : throw new ArgumentException("The additional property '" + name +
                "' must be a number of 1 or more, not '" + Text(value) + "'.");

        /// <summary>The options as a string that is equal for equal options.</summary>
        internal static string Key(EncodeOptions options) => string.Join(";",
            "normalize=" + options.Normalize, "pooling=" + Quoted(options.Pooling),
            "prompt=" + Quoted(options.Prompt), "prompt_name=" + Quoted(options.PromptName),
            "dimensions=" + Text(options.TruncateDimension),
            "max_length=" + Text(options.MaxLength));

        private static string Quoted(string? text) =>
            text == null ? "" : "'" + text.Replace("'", "''") + "'";
    }
}
