// Measuring models.
using System;
using System.Collections.Generic;
using System.Threading;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What was measured of a model.</summary>
    public sealed class Evaluation
    {
        private readonly Dictionary<string, double> numbers_;

        private Evaluation(string json)
        {
            ReportJson = json;
            numbers_ = Json.Numbers(json);
        }

        /// <summary>Measures a model.</summary>
        /// <param name="encoder">The model.</param>
        /// <param name="task">"sts", "retrieval", "geometry", ...</param>
        /// <param name="config">Keys of <c>Config.Describe(task)</c>, "data" among them.</param>
        /// <param name="cancellationToken">Looked at between batches.</param>
        /// <exception cref="ContrastiveException">Argument with the nearest name, NotFound, Format with file and line, ...</exception>
        public static Evaluation Run(SentenceEncoder encoder, string task, Config config, CancellationToken cancellationToken = default)
        {
            if (encoder == null) throw new ArgumentNullException(nameof(encoder));
            if (task == null) throw new ArgumentNullException(nameof(task));
            using ConfigHandle lent = Config.Lend(config ?? throw new ArgumentNullException(nameof(config)));
            using var scope = new CancelScope(cancellationToken);
            try
            {
                return new Evaluation(Native.cs_evaluate(encoder.Handle, task, lent, scope.Flag));
            }
            catch (OperationCanceledException failure)
            {
                throw scope.Translate(failure);
            }
        }

        /// <summary>The whole report.</summary>
        public string ReportJson { get; }

        /// <summary>Its numbers by dotted keys, such as "spearman.all".</summary>
        public IReadOnlyDictionary<string, double> Numbers => numbers_;

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
