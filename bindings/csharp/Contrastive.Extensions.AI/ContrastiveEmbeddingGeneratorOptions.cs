// Options of an embedding generator.
using System;
using System.Collections.Generic;

namespace Contrastive.Extensions.AI
{
    /// <summary>Options of a <see cref="ContrastiveEmbeddingGenerator"/>. They can be bound from a
    /// configuration section.</summary>
    public sealed class ContrastiveEmbeddingGeneratorOptions
    {
        /// <summary>The folder of a sentence-transformers or Hugging Face model. Required when the
        /// generator is registered as a service, which loads the model.</summary>
        public string? ModelPath { get; set; }

        /// <summary>The name of the model in metadata and results. The fingerprint of its weights
        /// is appended to it (<see cref="SwappableEncoder"/>). Null: the name of the
        /// folder.</summary>
        public string? ModelName { get; set; }

        /// <summary>How to load the model: keys of <c>Config.Describe("model")</c>, such as device,
        /// precision and threads, with values as on a command line.</summary>
        public IDictionary<string, string> Model { get; } =
            new Dictionary<string, string>(StringComparer.Ordinal);

        /// <summary>How to embed texts, for requests that do not say otherwise. A request says so
        /// with <see cref="EncodeOptionsExtensions.ToGenerationOptions"/>.</summary>
        public EncodeOptions Encode { get; set; } = new EncodeOptions();

        /// <summary>The maximum number of calls that compute at once. Other calls wait without
        /// blocking a thread. One call with many texts uses all threads of the library, so a small
        /// number costs no throughput, and it leaves processors and thread-pool threads to the
        /// other requests of a service. Default: half of the processors, at least one.</summary>
        public int MaxConcurrentCalls { get; set; } = Math.Max(1, Environment.ProcessorCount / 2);
    }
}
