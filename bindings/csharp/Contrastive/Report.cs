// What measuring a model gives.
using System;
using System.Collections.Generic;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What <see cref="SentenceEncoder.Evaluate"/> measured, <see cref="SentenceEncoder.Mine"/> found, or <see cref="SentenceEncoder.Adapt"/> did.</summary>
    public sealed class Report
    {
        private readonly string json_;
        private readonly Dictionary<string, double> numbers_;

        internal Report(string json)
        {
            json_ = json;
            numbers_ = Json.Numbers(json);
        }

        /// <summary>The whole report.</summary>
        public string ToJson() => json_;

        /// <inheritdoc/>
        public override string ToString() => json_;

        /// <summary>Its numbers by dotted keys, such as "spearman.all"; NaN for what could not be computed.</summary>
        public IReadOnlyDictionary<string, double> Numbers => numbers_;

        /// <summary>One of the texts at its top, such as "reason"; null where there is none of this key.</summary>
        public string? Text(string key) => Json.Text(Json.Parse(json_), key ?? throw new ArgumentNullException(nameof(key)));

        /// <summary>Whether a member at its top, such as "shipped", is true.</summary>
        public bool Flag(string key) => Text(key) == "true";

        /// <summary>One of its numbers.</summary>
        /// <exception cref="KeyNotFoundException">There is none of this key; the message names those that there are.</exception>
        public double this[string key]
        {
            get
            {
                if (numbers_.TryGetValue(key ?? throw new ArgumentNullException(nameof(key)), out double value)) return value;
                throw new KeyNotFoundException("'" + key + "' was not measured; there are " + string.Join(", ", numbers_.Keys) + ".");
            }
        }
    }
}
