// What measuring a model gives.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What <see cref="SentenceEncoder.Evaluate"/> measured, <see
    /// cref="SentenceEncoder.Mine"/> found, or <see cref="SentenceEncoder.Adapt"/> did.</summary>
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

        /// <summary>Its figures by dotted keys, such as "spearman.all". One that could not be
        /// computed is not among them.</summary>
        public IReadOnlyDictionary<string, double> Numbers => numbers_;

        /// <summary>One of its texts by its dotted key, such as "reason"; null where that is
        /// null.</summary>
        /// <exception cref="KeyNotFoundException">There is no text of this key.</exception>
        public string? Text(string key) => Member(key, "string");

        /// <summary>Whether a member, such as "shipped", is true.</summary>
        /// <exception cref="KeyNotFoundException">There is no truth value of this key.</exception>
        public bool Flag(string key) => Member(key, "boolean") == "true";

        /// <summary>One of its figures by its dotted key; null if it is not in the report or could
        /// not be computed.</summary>
        public double? Number(string key) =>
            numbers_.TryGetValue(key ?? throw new ArgumentNullException(nameof(key)), out double value) ? value : (double?)null;

        private string? Member(string key, string type)
        {
            XElement? at = Json.Parse(json_);
            foreach (string name in (key ?? throw new ArgumentNullException(nameof(key))).Split('.'))
            {
                at = at?.Elements().FirstOrDefault(entry => Json.Key(entry) == name);
            }
            if (at != null && Json.Type(at) == type) return at.Value;
            if (at != null && Json.Type(at) == "null") return null;
            throw new KeyNotFoundException("The report has no " + type + " '" + key + "'.");
        }
    }
}
