// Configs: everything that is particular to a method, an optimizer or a task, as data.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary> Dotted keys with values. A config is a value: <see cref="With(string, string)"/>
    /// gives a changed copy, and it needs no disposing.
    /// </summary>
    /// <remarks> Which keys there are, with their defaults, <see cref="Describe"/> tells. Values
    /// are checked where a config is used; a misspelt key is then an error that names the nearest.
    /// Keys that begin with "x-" are the caller's own.
    /// </remarks>
    /// <example><code>
    /// Config config = Config.Empty.With("method", "clsr").With("batch_size",
    /// 64).With("clsr.temperature", 0.05);
    /// </code></example>
    public sealed class Config
    {
        private readonly string json_;  // as cs_config_to_json writes it

        private Config(string json) => json_ = json;

        /// <summary>The config without keys, under which every default holds.</summary>
        public static Config Empty { get; } = new Config("{}");

        /// <summary>Reads a JSON object. Nested objects and dotted keys mean the same.</summary>
        /// <exception cref="ContrastiveException">Format with the byte offset; Limit.</exception>
        public static Config Parse(string json)
        {
            using ConfigHandle handle = Open(json ?? throw new ArgumentNullException(nameof(json)));
            return new Config(Native.cs_config_to_json(handle));
        }

        /// <summary>A copy in which a key has this text, which stays a text whatever it looks like:
        /// "1.10" is no number.</summary>
        public Config With(string key, string value) => WithJson(key, Json.Write(value ?? throw new ArgumentNullException(nameof(value))));

        /// <summary>A copy in which a key has this text of one character.</summary>
        public Config With(string key, char value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this number.</summary>
        public Config With(string key, long value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this number.</summary>
        /// <exception cref="ArgumentException">It is NaN or infinite.</exception>
        public Config With(string key, double value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this value.</summary>
        public Config With(string key, bool value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this list of texts, numbers or truth
        /// values.</summary>
        /// <exception cref="ArgumentException">An item is null or of another type.</exception>
        public Config With<T>(string key, IEnumerable<T> values) =>
            WithJson(key, "[" + string.Join(",", (values ?? throw new ArgumentNullException(nameof(values))).Select(item => Json.Write(item))) + "]");

        /// <summary>A copy in which a key has the value that a person types on a command line, as
        /// in KEY=VALUE: a number, truth value or list if it reads as JSON, else a text.</summary>
        public Config WithTyped(string key, string typed)
        {
            if (key == null) throw new ArgumentNullException(nameof(key));
            if (typed == null) throw new ArgumentNullException(nameof(typed));
            using ConfigHandle handle = Open(json_);
            Native.cs_config_set(handle, key, typed);
            return new Config(Native.cs_config_to_json(handle));
        }

        private Config WithJson(string key, string value) =>
            With(Parse("{" + Json.Write(key ?? throw new ArgumentNullException(nameof(key))) + ":" + value + "}"));

        /// <summary>A copy over which another config is laid: its entries replace those of the same
        /// keys.</summary>
        public Config With(Config other)
        {
            if (other == null) throw new ArgumentNullException(nameof(other));
            using ConfigHandle handle = Open(json_);
            using ConfigHandle above = Open(other.json_);
            Native.cs_config_merge(handle, above);
            return new Config(Native.cs_config_to_json(handle));
        }

        /// <summary>One flat JSON object, keys sorted.</summary>
        public string ToJson() => json_;

        /// <inheritdoc/>
        public override string ToString() => json_;

        /// <summary> The keys of a topic: "model" (<see cref="SentenceEncoder.Load"/>), "recipe"
        /// (<see cref="SentenceEncoder.Create"/>), "vocabulary" (<see cref="Vocabulary"/>), "data"
        /// (<see cref="Dataset.Open"/>), "train" (<see cref="Trainer"/>: the keys of all methods),
        /// the name of a method ("clsr"), or of a task ("sts": <see
        /// cref="SentenceEncoder.Evaluate"/>).
        /// </summary>
        /// <exception cref="ContrastiveException">Argument, naming the topics.</exception>
        public static IReadOnlyList<ConfigKey> Describe(string topic) => Keys(Json.Parse(DescribeJson(topic)));

        /// <summary>The keys of every topic, by its name: what can be loaded, made, trained and
        /// evaluated, and with what.</summary>
        public static IReadOnlyDictionary<string, IReadOnlyList<ConfigKey>> DescribeAll()
        {
            NativeLoader.Require();
            var topics = new Dictionary<string, IReadOnlyList<ConfigKey>>(StringComparer.Ordinal);
            foreach (XElement topic in Json.Parse(Native.cs_config_describe(null)).Elements()) topics[Json.Key(topic)] = Keys(topic);
            return topics;
        }

        /// <summary>The keys of a topic as JSON, with everything that a key tells about
        /// itself.</summary>
        public static string DescribeJson(string topic)
        {
            NativeLoader.Require();
            return Native.cs_config_describe(topic ?? throw new ArgumentNullException(nameof(topic)));
        }

        private static List<ConfigKey> Keys(XElement described)
        {
            var keys = new List<ConfigKey>();
            foreach (XElement key in described.Elements()) keys.Add(new ConfigKey(key));
            return keys;
        }

        /// <summary>A native config for the time of a call, to be disposed of after it; one that
        /// crosses as NULL where there is none.</summary>
        internal static ConfigHandle Lend(Config? config)
        {
            NativeLoader.Require();
            return config == null ? new ConfigHandle() : Open(config.json_);
        }

        /// <summary>The same for a class that loads models of one kind: "encoder" or
        /// "reranker".</summary>
        internal static ConfigHandle LendFor(string kind, Config? config)
        {
            ConfigHandle lent = Open(config == null ? "{}" : config.json_);
            try
            {
                Native.cs_config_set(lent, "kind", kind);
            }
            catch
            {
                lent.Dispose();
                throw;
            }
            return lent;
        }

        private static ConfigHandle Open(string json)
        {
            NativeLoader.Require();
            return Native.cs_config_parse(json);
        }
    }

    /// <summary>A key that a config may have.</summary>
    public sealed class ConfigKey
    {
        internal ConfigKey(XElement description)
        {
            Key = Json.Text(description, "key") ?? "";
            Type = Json.Text(description, "type") ?? "";
            Default = Json.Text(description, "default");
            Unit = Json.Text(description, "unit");
            Help = Json.Text(description, "help") ?? "";
            Source = Json.Text(description, "source");
        }

        /// <summary>Its name, such as "clsr.temperature".</summary>
        public string Key { get; }
        /// <summary>The type of its values.</summary>
        public string Type { get; }
        /// <summary>The value that holds where none is set, as text; null where there is none or it
        /// is a list.</summary>
        public string? Default { get; }
        /// <summary>What its values are measured in.</summary>
        public string? Unit { get; }
        /// <summary>What it does.</summary>
        public string Help { get; }
        /// <summary>Where the default comes from, such as a section of a paper.</summary>
        public string? Source { get; }

        /// <inheritdoc/>
        public override string ToString() => Key + " (" + Type + ", default " + (Default ?? "none") + "): " + Help;
    }
}
