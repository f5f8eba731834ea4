// Configs: the options of a method, optimizer, task or model.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
#if NET
using System.Text.Json;
using System.Text.Json.Serialization;
#endif
using System.Xml.Linq;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The options of a method, optimizer, task or model: dotted keys with values. A
    /// config is immutable: <see cref="With(string, string)"/> returns a changed copy. It does not
    /// need to be disposed.
    /// </summary>
    /// <remarks><see cref="Describe"/> lists the keys and their defaults. Values are checked when a
    /// config is used. The error for a misspelt key suggests the nearest one. Keys that begin with
    /// "x-" are reserved for you.
    /// </remarks>
    /// <example><code>
    /// Config config = Config.Empty
    ///     .With("method", "mnrl").With("batch_size", 64).With("mnrl.scale", 20.0);
    /// </code></example>
#if NET
    [JsonConverter(typeof(ConfigJsonConverter))]
#endif
    public sealed class Config
    {
        private readonly string json_;  // as cs_config_to_json writes it

        private Config(string json) => json_ = json;

        /// <summary>A config without keys: every option has its default.</summary>
        public static Config Empty { get; } = new Config("{}");

        /// <summary>Reads a JSON object. Nested objects and dotted keys are equivalent.</summary>
        /// <exception cref="ContrastiveException">Format with the byte offset; Limit.</exception>
        public static Config Parse(string json)
        {
            using ConfigHandle handle = Open(Guard.NotNull(json));
            return new Config(Native.cs_config_to_json(handle));
        }

        /// <summary>A copy in which a key has this string. A string is never converted to another
        /// type: "1.10" is not a number.</summary>
        public Config With(string key, string value) =>
            WithJson(key, Json.Write(Guard.NotNull(value)));

        /// <summary>A copy in which a key has this one-character string.</summary>
        public Config With(string key, char value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this number.</summary>
        public Config With(string key, int value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this number.</summary>
        public Config With(string key, long value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this number.</summary>
        /// <exception cref="ArgumentException">It is NaN or infinite.</exception>
        public Config With(string key, double value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this value.</summary>
        public Config With(string key, bool value) => WithJson(key, Json.Write(value));

        /// <summary>A copy in which a key has this list of strings, numbers or booleans.</summary>
        /// <exception cref="ArgumentException">An item is null or of another type.</exception>
        public Config With<T>(string key, IEnumerable<T> values) => WithJson(key,
            "[" + string.Join(",", Guard.NotNull(values)
                .Select(item => Json.Write(item))) + "]");

        /// <summary>A copy in which a key has a value as typed on a command line, as in KEY=VALUE:
        /// a number, boolean or list if it is valid JSON, otherwise a string.</summary>
        public Config WithTyped(string key, string typed)
        {
            Guard.NotNull(key);
            Guard.NotNull(typed);
            using ConfigHandle handle = Open(json_);
            Native.cs_config_set(handle, key, typed);
            return new Config(Native.cs_config_to_json(handle));
        }

        /// <summary>Reads the entries of a configuration, such as
        /// <c>configuration.GetSection("Model").AsEnumerable(true)</c> of
        /// Microsoft.Extensions.Configuration.</summary>
        /// <param name="entries">Keys, in which ":" may stand for ".", with values as typed on a
        /// command line (<see cref="WithTyped"/>). Entries without a value are skipped. Entries
        /// whose keys end in ":0", ":1", ... are the items of a list.</param>
        public static Config From(IEnumerable<KeyValuePair<string, string?>> entries)
        {
            Config config = Empty;
            var lists = new SortedDictionary<string, SortedDictionary<int, string>>(
                StringComparer.Ordinal);
            foreach (KeyValuePair<string, string?> entry in Guard.NotNull(entries))
            {
                if (entry.Value == null) continue;
                string value = entry.Value;
                // As .NET's configuration has the booleans of JSON files.
                if (value == "True" || value == "False") value = value.ToLowerInvariant();
                int colon = entry.Key.LastIndexOf(':');
                string last = entry.Key.Substring(colon + 1);
                if (colon > 0 && int.TryParse(last, NumberStyles.None, CultureInfo.InvariantCulture,
                    out int index))
                {
                    string key = entry.Key.Substring(0, colon).Replace(':', '.');
                    if (!lists.TryGetValue(key, out SortedDictionary<int, string>? items))
                        lists[key] = items = new SortedDictionary<int, string>();
                    items[index] = value;
                }
                else config = config.WithTyped(entry.Key.Replace(':', '.'), value);
            }
            foreach (KeyValuePair<string, SortedDictionary<int, string>> list in lists)
            {
                // An item is typed as it would be alone.
                IEnumerable<string> items = list.Value.Values.Select(item =>
                    Json.Member(Empty.WithTyped("x", item).json_));
                config = config.WithJson(list.Key, "[" + string.Join(",", items) + "]");
            }
            return config;
        }

        private Config WithJson(string key, string value) => With(Parse("{" +
            Json.Write(Guard.NotNull(key)) + ":" + value + "}"));

        /// <summary>A copy with the entries of another config added. They replace entries with the
        /// same keys.</summary>
        public Config With(Config other)
        {
            Guard.NotNull(other);
            using ConfigHandle handle = Open(json_);
            using ConfigHandle above = Open(other.json_);
            Native.cs_config_merge(handle, above);
            return new Config(Native.cs_config_to_json(handle));
        }

        /// <summary>The config as one flat JSON object with sorted keys.</summary>
        public string ToJson() => json_;

        /// <inheritdoc/>
        public override string ToString() => json_;

        /// <summary>The keys of a topic: "model" (<see cref="SentenceEncoder.Load"/>), "recipe"
        /// (<see cref="SentenceEncoder.Create"/>), "vocabulary" (<see cref="Vocabulary"/>), "data"
        /// (<see cref="Dataset.Open"/>), "train" (<see cref="Trainer"/>: the keys of all methods),
        /// the name of a method ("clsr"), or of a task ("sts": <see
        /// cref="SentenceEncoder.Evaluate"/>).
        /// </summary>
        /// <exception cref="ContrastiveException">Argument, with the list of topics.</exception>
        public static IReadOnlyList<ConfigKey> Describe(string topic) =>
            Keys(Json.Parse(DescribeJson(topic)));

        /// <summary>The keys of all topics, by topic name.</summary>
        public static IReadOnlyDictionary<string, IReadOnlyList<ConfigKey>> DescribeAll()
        {
            NativeLoader.Require();
            var topics = new Dictionary<string, IReadOnlyList<ConfigKey>>(StringComparer.Ordinal);
            foreach (XElement topic in Json.Parse(Native.cs_config_describe(null)).Elements())
                topics[Json.Key(topic)] = Keys(topic);
            return topics;
        }

        /// <summary>The keys of a topic as JSON, with all properties of each key.</summary>
        public static string DescribeJson(string topic)
        {
            NativeLoader.Require();
            return Native.cs_config_describe(Guard.NotNull(topic));
        }

        private static List<ConfigKey> Keys(XElement described)
        {
            var keys = new List<ConfigKey>();
            foreach (XElement key in described.Elements()) keys.Add(new ConfigKey(key));
            return keys;
        }

        // A native config for one call; the caller disposes of it afterwards. It is passed as NULL
        // if there is no config.
        internal static ConfigHandle Lend(Config? config)
        {
            NativeLoader.Require();
            return config == null ? new ConfigHandle() : Open(config.json_);
        }

        // Adds the kind of model that the caller loads: "encoder" or "reranker".
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
        /// <summary>The default value as a string; null if there is none or it is a list.</summary>
        public string? Default { get; }
        /// <summary>The unit of its values.</summary>
        public string? Unit { get; }
        /// <summary>What it does.</summary>
        public string Help { get; }
        /// <summary>The source of the default, such as a section of a paper.</summary>
        public string? Source { get; }

        /// <inheritdoc/>
        public override string ToString() =>
            Key + " (" + Type + ", default " + (Default ?? "none") + "): " + Help;
    }

#if NET
    /// <summary>Reads and writes a <see cref="Config"/> as a JSON object.</summary>
    public sealed class ConfigJsonConverter : JsonConverter<Config>
    {
        /// <inheritdoc/>
        public override Config Read(ref Utf8JsonReader reader, Type typeToConvert,
            JsonSerializerOptions options)
        {
            using JsonDocument value = JsonDocument.ParseValue(ref reader);
            try
            {
                return Config.Parse(value.RootElement.GetRawText());
            }
            catch (ContrastiveException e)
            {
                throw new JsonException(e.Message, e);
            }
        }

        /// <inheritdoc/>
        public override void Write(Utf8JsonWriter writer, Config value,
            JsonSerializerOptions options) =>
            Guard.NotNull(writer).WriteRawValue(Guard.NotNull(value).ToJson());
    }
#endif
}
