// Reports of evaluations, mining and adaptation.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The results of <see cref="SentenceEncoder.Evaluate"/>,
    /// <see cref="SentenceEncoder.Mine"/> or <see cref="SentenceEncoder.Adapt"/>.</summary>
    public sealed class Report
    {
        private readonly string json_;
        private readonly Dictionary<string, double> numbers_;

        internal Report(string json)
        {
            json_ = json;
            numbers_ = Json.Numbers(json);
        }

        /// <summary>The whole report as JSON.</summary>
        public string ToJson() => json_;

        /// <inheritdoc/>
        public override string ToString() => json_;

        /// <summary>The numbers of the report by dotted keys, such as "spearman.all". Numbers that
        /// could not be computed are omitted.</summary>
        public IReadOnlyDictionary<string, double> Numbers => numbers_;

        /// <summary>A string by its dotted key, such as "reason"; null if its value is
        /// null.</summary>
        /// <exception cref="KeyNotFoundException">The report has no string with this
        /// key.</exception>
        public string? Text(string key) => Member(key, "string");

        /// <summary>A boolean by its dotted key, such as "shipped".</summary>
        /// <exception cref="KeyNotFoundException">The report has no boolean with this
        /// key.</exception>
        public bool Flag(string key) => Member(key, "boolean") == "true";

        /// <summary>A number by its dotted key; null if it is not in the report or could not be
        /// computed.</summary>
        public double? Number(string key)
        {
            Guard.NotNull(key);
            return numbers_.TryGetValue(key, out double value) ? value : null;
        }

        private string? Member(string key, string type)
        {
            XElement? at = Json.Parse(json_);
            foreach (string name in Guard.NotNull(key).Split('.'))
            {
                at = at?.Elements().FirstOrDefault(entry => Json.Key(entry) == name);
            }
            if (at != null && Json.Type(at) == type) return at.Value;
            if (at != null && Json.Type(at) == "null") return null;
            throw new KeyNotFoundException("The report has no " + type + " '" + key + "'.");
        }
    }
}
