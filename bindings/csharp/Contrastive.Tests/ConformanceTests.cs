// The cases that every language runs (tests/conformance/cases.json): same ids, embeddings, errors
// and weights. What was found is written to build/conformance, a line for each case, so that the
// languages can be compared bit by bit.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Security.Cryptography;
using System.Text;
using System.Xml;
using System.Xml.Linq;
using Contrastive.Interop;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ConformanceTests : IDisposable
    {
        private static readonly string Here = Path.Combine(Support.Root, "tests", "conformance") +
            "/";

        // float.NaN has its sign bit set, C's NAN has not, and messages show the difference.
        private static readonly float PositiveNaN =
            BitConverter.ToSingle(BitConverter.GetBytes(0x7FC00000), 0);

        private readonly XElement cases_ = Json.Parse(File.ReadAllText(Here + "cases.json"));
        private readonly TemporaryFolder work_ = new TemporaryFolder();

        public void Dispose() => work_.Dispose();

        [TrainingFact]
        public void EveryCaseComesOutAsInC()
        {
            Library.SetThreads(1);
            var failures = new List<string>();
            var results = new StringBuilder();
            int count = 0;
            foreach (XElement one in At(cases_, "cases").Elements())
            {
                string name = String(one, "name");
                ++count;
                try
                {
                    results.Append("{\"case\":\"" + name + "\"," + Run(one) + "}\n");
                }
                catch (Exception e)
                {
                    failures.Add(name + ": " + e.Message);
                }
            }
            Library.SetThreads(null);
            string runtime = "csharp-net" + Environment.Version.Major;
            string folder = Path.Combine(Support.Root, "build", "conformance");
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, runtime + ".jsonl"), results.ToString());
            Console.WriteLine("     " + count + " conformance cases");
            Assert.True(count > 0 && failures.Count == 0,
                failures.Count + " of " + count + " failed:\n" + string.Join("\n", failures));
        }

        private string Run(XElement one)
        {
            switch (String(one, "kind"))
            {
                case "tokenize": return Tokenize(one);
                case "encode":
                    using (SentenceEncoder encoder = Load(String(one, "model")))
                        return Encode(one, encoder);
                case "save": return Save(one);
                case "error": return Refuse(one);
                case "train": return Train(one);
                default:
                    throw new InvalidOperationException("kind " + String(one, "kind") +
                        " is unknown");
            }
        }

        private string Tokenize(XElement one)
        {
            using SentenceEncoder encoder = Load(String(one, "model"));
            string? units = Utf16(String(one, "text"));
            byte[] bytes = Text(String(one, "text"));
            Tokens tokens = units != null ? encoder.Tokenize(units) : encoder.TokenizeUtf8(bytes);
            string line = Same(one, "ids", tokens.Ids.ToArray());
            if (Find(one, "begins") == null) return line;
            string words = Encoding.UTF8.GetString(bytes);
            Tokens same = encoder.Tokenize(words);  // with positions in the string
            Assert.Equal(tokens.Ids.ToArray(), same.Ids.ToArray());
            foreach ((string key, int[] inBytes, int[] inUnits) in new[] {
                ("begins", tokens.Begins.ToArray(), same.Begins.ToArray()),
                ("ends", tokens.Ends.ToArray(), same.Ends.ToArray()) })
            {
                int[] found = inBytes.Select(place => place < 0 ? place
                    : bytes.Take(place).Count(unit => (unit & 0xC0) != 0x80)).ToArray();
                Assert.Equal(found, inUnits.Select(place => place < 0 ? place
                    : words.Take(place).Count(unit => !char.IsLowSurrogate(unit))).ToArray());
                line += "," + Same(one, key, found);
            }
            return line;
        }

        private static string Same(XElement one, string key, int[] found)
        {
            string list = string.Join(",", found);
            Assert.Equal(key + " " + string.Join(",",
                At(one, key).Elements().Select(value => value.Value)), key + " " + list);
            return "\"" + key + "\":[" + list + "]";
        }

        /// <summary>Saves a model, loads it again, and returns its embeddings and the hash of each
        /// file of the folder.</summary>
        private string Save(XElement one)
        {
            string folder = work_["saved-" + String(one, "model")];
            using (SentenceEncoder encoder = Load(String(one, "model"))) encoder.Save(folder);
            using SentenceEncoder again = SentenceEncoder.Load(folder);
            IEnumerable<string> files = Directory.GetFiles(folder, "*", SearchOption.AllDirectories)
                .Select(file => file.Substring(folder.Length + 1))
                .OrderBy(file => file, StringComparer.Ordinal);
            return Encode(one, again) + ",\"files\":{" +
                string.Join(",", files.Select(file => "\"" + file + "\":\"" +
                    Sha256(File.ReadAllBytes(Path.Combine(folder, file))) + "\"")) + "}";
        }

        private string Encode(XElement one, SentenceEncoder encoder)
        {
            byte[][] texts = At(one, "texts").Elements().Select(name => Text(name.Value)).ToArray();
            var offsets = new int[texts.Length + 1];
            for (int i = 0; i < texts.Length; ++i) offsets[i + 1] = offsets[i] + texts[i].Length;
            var floats = new float[texts.Length * encoder.Dimension];
            encoder.EncodeUtf8(texts.SelectMany(text => text).ToArray(), offsets, floats);
            int row = 0;
            foreach (XElement start in At(one, "starts").Elements())
            {
                float[] expected = start.Elements().Select(value => (float)value).ToArray();
                Support.Near(expected, floats.AsSpan(row++ * encoder.Dimension, expected.Length),
                    2e-5);
            }
            var bytes = new byte[floats.Length * sizeof(float)];
            Buffer.BlockCopy(floats, 0, bytes, 0, bytes.Length);
            return "\"sha256\":\"" + Sha256(bytes) + "\"";
        }

        private string Refuse(XElement one)
        {
            ContrastiveException failure = Assert.Throws<ContrastiveException>(() => Call(one));
            string status = Native.cs_status_name((int)failure.Kind);
            Assert.Equal(String(one, "status"), status);
            Assert.Contains(String(one, "message"), failure.Message);
            return "\"status\":\"" + status + "\",\"message_sha256\":\"" +
                Sha256(Encoding.UTF8.GetBytes(failure.Message)) + "\"";
        }

        /// <summary>Makes a call that must be refused. Its other arguments are valid.</summary>
        private unsafe void Call(XElement one)
        {
            switch (String(one, "call"))
            {
                case "load":
                    SentenceEncoder.Load(Support.Fixture(String(one, "folder")), Keys(one)); return;
                case "parse": Config.Parse(String(one, "json")); return;
                case "describe": Config.DescribeJson(String(one, "topic")); return;
                case "open_dataset": Dataset.Open(Here + String(one, "file"), Keys(one)); return;
                case "create": SentenceEncoder.Create(Keys(one)); return;
                case "search":
                    // The layer above has its own exception for this.
                    fixed (float* vector = new float[] { 1, 0 }, score = new float[1])
                    fixed (int* index = new int[1])
                        Native.cs_search(vector, 1, vector, 1, 2, 0, Int(one, "k"), index, score, 1,
                            new CancelHandle());
                    return;
                case "encode_text":
                case "tokenize_text":
                    using (SentenceEncoder strict = Load(String(one, "model")))
                    {
                        string words = Utf16(String(one, "text"))!;
                        if (String(one, "call") == "encode_text") strict.Encode(words);
                        else strict.Tokenize(words);
                    }
                    return;
                case "calibrate_nan": Quantization.Calibrate(new[] { 1, PositiveNaN }, 2); return;
            }
            using SentenceEncoder encoder = Load("bert");
            switch (String(one, "call"))
            {
                case "encode":
                    // As above: a dimension below 1.
                    fixed (byte* text = Encoding.UTF8.GetBytes("the cat"))
                    fixed (int* offsets = new[] { 0, 7 })
                    fixed (float* floats = new float[8192])
                        Native.cs_encode_flat(encoder.Handle, text, offsets, 1, -1,
                            String(one, "pooling"), null, null, Int(one, "truncate_dim"), 0, 0,
                            null, new CancelHandle(), floats, 8192);
                    return;
                case "tokenize": encoder.Tokenize("the cat", Int(one, "max_length")); return;
                case "evaluate": encoder.Evaluate(String(one, "task"), Keys(one, "data")); return;
                case "trainer":
                case "step_without_data":
                    using (Dataset? data = Find(one, "data") == null ? null
                        : Data(String(one, "data")))
                    using (var trainer = new Trainer(encoder, data, Keys(one)))
                        if (String(one, "call") != "trainer") trainer.Step();
                    return;
                default:
                    throw new InvalidOperationException("call " + String(one, "call") +
                        " is unknown");
            }
        }

        private string Train(XElement one)
        {
            using SentenceEncoder encoder = Load(String(one, "model"));
            bool step = String(one, "through") == "step";
            using Dataset? data = step ? Data(String(one, "data")) : null;
            using var trainer = new Trainer(encoder, data, Keys(one));
            string[][] rows = RowsOf(String(one, "data"));
            for (int i = 0; i < Int(one, "steps"); ++i)
            {
                if (step) trainer.Step();
                else
                    trainer.Batch(Enumerable.Range(4 * i, 4).SelectMany(k => rows[k % rows.Length])
                        .ToArray(), rows[0].Length);
            }
            double expected = (double)At(one, "loss"), loss = trainer.Metric("loss")!.Value;
            Assert.InRange(loss - expected, -2e-2 * (1 + Math.Abs(expected)),
                2e-2 * (1 + Math.Abs(expected)));
            trainer.SaveBest(work_["model"]);
            return "\"sha256\":\"" + Sha256(File.ReadAllBytes(work_["model/model.safetensors"])) +
                "\"";
        }

        private SentenceEncoder Load(string name)
        {
            XElement model = At(At(cases_, "models"), name);
            return SentenceEncoder.Load(Support.Fixture(String(model, "folder")), Keys(model));
        }

        private string[][] RowsOf(string name) => At(At(cases_, "data"), name).Elements()
            .Select(row => Json.Type(row) == "array" ? row.Elements().Select(text => text.Value)
                .ToArray() : new[] { row.Value }).ToArray();

        private Dataset Data(string name)
        {
            var data = new Dataset();
            foreach (string[] row in RowsOf(name)) data.Add(row);
            return data;
        }

        /// <summary>The text as a string if the case gives it in UTF-16; otherwise null.</summary>
        private string? Utf16(string name)
        {
            XElement? units = Find(At(At(cases_, "texts"), name), "utf16");
            return units == null ? null : string.Concat(Enumerable.Range(0, units.Value.Length / 4)
                .Select(i => (char)Convert.ToUInt16(units.Value.Substring(4 * i, 4), 16)));
        }

        private byte[] Text(string name)
        {
            XElement spec = At(At(cases_, "texts"), name);
            if (Find(spec, "hex") != null)
            {
                string hex = String(spec, "hex");
                return Enumerable.Range(0, hex.Length / 2)
                    .Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
            }
            int times = Find(spec, "times") == null ? 1 : Int(spec, "times");
            return Encoding.UTF8.GetBytes(
                string.Concat(Enumerable.Repeat(String(spec, "text"), times)));
        }

        /// <summary>The config of a case. A key that names a file gets the folder of the
        /// file.</summary>
        private static Config Keys(XElement one, string? file = null)
        {
            XElement keys = At(one, "config");
            using var stream = new MemoryStream();
            using (XmlDictionaryWriter writer = JsonReaderWriterFactory.CreateJsonWriter(stream,
                Encoding.UTF8))
                new XElement("root", keys.Attributes().Where(attribute => attribute.Name == "type"),
                    keys.Nodes()).WriteTo(writer);
            Config config = Config.Parse(Encoding.UTF8.GetString(stream.ToArray()));
            return file == null || Find(keys, file) == null ? config
                : config.With(file, Here + String(keys, file));
        }

        private static XElement? Find(XElement @object, string key) =>
            @object.Elements().FirstOrDefault(entry => Json.Key(entry) == key);

        private static XElement At(XElement @object, string key) => Find(@object, key) ??
            throw new InvalidOperationException("the case has no '" + key + "'");

        private static string String(XElement @object, string key) => At(@object, key).Value;

        private static int Int(XElement @object, string key) => (int)At(@object, key);

        private static string Sha256(byte[] bytes)
        {
            using SHA256 hash = SHA256.Create();
            return string.Concat(hash.ComputeHash(bytes).Select(value => value.ToString("x2")));
        }
    }
}
