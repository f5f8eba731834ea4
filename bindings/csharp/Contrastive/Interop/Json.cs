// Reads the JSON that the C API writes, and writes config values. The only JSON reader in
// netstandard2.0 converts JSON to XML, so that one is used.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

namespace Contrastive.Interop
{
    internal static class Json
    {
        internal static XElement Parse(string json)
        {
            using XmlDictionaryReader reader = JsonReaderWriterFactory.CreateJsonReader(
                Encoding.UTF8.GetBytes(json), XmlDictionaryReaderQuotas.Max);
            return XElement.Load(reader);
        }

        // The key of an object's entry. A key that is not a valid XML name is stored in
        // an attribute.
        internal static string Key(XElement entry) =>
            (string?)entry.Attribute("item") ?? entry.Name.LocalName;

        // An entry of an object as a string; null if it is missing, null, an object or a
        // list.
        internal static string? Text(XElement @object, string key)
        {
            foreach (XElement entry in @object.Elements())
            {
                if (Key(entry) != key) continue;
                string type = Type(entry);
                return type == "null" || type == "object" || type == "array" ? null : entry.Value;
            }
            return null;
        }

        internal static string Type(XElement entry) => (string?)entry.Attribute("type") ?? "string";

        // The string, or null if it is empty.
        internal static string? Stated(XElement @object, string key) =>
            Text(@object, key) is string text && text.Length > 0 ? text : null;

        internal static long Number(XElement @object, string key) => (long)double.Parse(
            Text(@object, key) ?? "0", NumberStyles.Float, CultureInfo.InvariantCulture);

        // The entries of a list of strings.
        internal static IReadOnlyList<string> Texts(XElement @object, string key) =>
            Entries(@object, key).Select(entry => entry.Value).ToArray();

        // The entries of an object of strings.
        internal static IReadOnlyDictionary<string, string> TextsByName(XElement @object,
            string key) =>
            Entries(@object, key).ToDictionary(Key, entry => entry.Value, StringComparer.Ordinal);

        private static IEnumerable<XElement> Entries(XElement @object, string key) =>
            @object.Elements().First(entry => Key(entry) == key).Elements();

        // The value of the only entry of a flat object that the library wrote.
        internal static string Member(string json)
        {
            int begin = json.IndexOf(':') + 1;  // the key is "x"
            return json.Substring(begin, json.Length - 1 - begin);
        }

        // Writes the value of a config key as JSON.
        internal static string Write(object? value)
        {
            switch (value)
            {
                case string text: return Quote(text);
                case char character: return Quote(character.ToString());
                case bool flag: return flag ? "true" : "false";
                case float number when !float.IsNaN(number) && !float.IsInfinity(number):
                    return number.ToString("R", CultureInfo.InvariantCulture);
                case double number when !double.IsNaN(number) && !double.IsInfinity(number):
                    return number.ToString("R", CultureInfo.InvariantCulture);
                case sbyte _: case byte _: case short _: case ushort _: case int _: case uint _:
                case long _: case ulong _: case decimal _:
                    return ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture);
                default:
                    throw new ArgumentException("A value of a config is a text, a finite number " +
                        "or a truth value, not " + (value ?? "null") + ".");
            }
        }

        // Quotes any text, with NULs and unpaired surrogates.
        internal static string Escape(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (char c in text)
            {
                if (c == '"' || c == '\\') quoted.Append('\\').Append(c);
                else if (c < ' ' || char.IsSurrogate(c) || c >= 0xFFFE)
                    quoted.Append("\\u")
                        .Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else quoted.Append(c);
            }
            return quoted.Append('"').ToString();
        }

        // Quotes a string. A NUL is kept; the call that receives the JSON refuses
        // it.
        private static string Quote(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (char c in text)
            {
                if (c == '"' || c == '\\') quoted.Append('\\').Append(c);
                else if (c < ' ' && c != 0)
                    quoted.Append("\\u")
                        .Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else quoted.Append(c);
            }
            return quoted.Append('"').ToString();
        }

        // The numbers of an object and of its nested objects, by dotted keys.
        internal static Dictionary<string, double> Numbers(string json)
        {
            var numbers = new Dictionary<string, double>(StringComparer.Ordinal);
            Collect(Parse(json), "", numbers);
            return numbers;
        }

        private static void Collect(XElement @object, string prefix,
            Dictionary<string, double> numbers)
        {
            foreach (XElement entry in @object.Elements())
            {
                string key = prefix + Key(entry);
                switch (Type(entry))
                {
                    case "number":
                        numbers[key] = double.Parse(entry.Value, NumberStyles.Float,
                            CultureInfo.InvariantCulture);
                        break;
                    case "object": Collect(entry, key + ".", numbers); break;
                }
            }
        }
    }
}
