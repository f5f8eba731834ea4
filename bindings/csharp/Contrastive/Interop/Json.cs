// Reads the JSON that the C API writes. netstandard2.0 has no JSON but the reader that turns it into XML, which serves here.
using System;
using System.Collections.Generic;
using System.Globalization;
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
            using XmlDictionaryReader reader = JsonReaderWriterFactory.CreateJsonReader(Encoding.UTF8.GetBytes(json), XmlDictionaryReaderQuotas.Max);
            return XElement.Load(reader);
        }

        /// <summary>The key of an object's entry; one that is no name in XML stands in an attribute.</summary>
        internal static string Key(XElement entry) => (string?)entry.Attribute("item") ?? entry.Name.LocalName;

        /// <summary>An entry of an object as text; null where it is missing or null. Objects and lists give null.</summary>
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

        /// <summary>The numbers of an object and of the objects in it, by dotted keys; NaN for null.</summary>
        internal static Dictionary<string, double> Numbers(string json)
        {
            var numbers = new Dictionary<string, double>(StringComparer.Ordinal);
            Collect(Parse(json), "", numbers);
            return numbers;
        }

        private static void Collect(XElement @object, string prefix, Dictionary<string, double> numbers)
        {
            foreach (XElement entry in @object.Elements())
            {
                string key = prefix + Key(entry);
                switch (Type(entry))
                {
                    case "number": numbers[key] = double.Parse(entry.Value, NumberStyles.Float, CultureInfo.InvariantCulture); break;
                    case "null": numbers[key] = double.NaN; break;
                    case "object": Collect(entry, key + ".", numbers); break;
                }
            }
        }
    }
}
