// Prints information about the loaded library. If it cannot be loaded, calls every function that
// may be the first to need it, and prints why each failed. Run it if your service does not start.
// The tests run it in separate processes.
//
//   Contrastive.Probe [MODEL [FOLDER...]]
//       Reports whether the model embeds and trains, then again with LibTorch from each folder.
//   Contrastive.Probe --end train|encode|plain|token|task MODEL
//       Loads LibTorch, and ends while a background thread trains or embeds.
using System;
using System.Linq;
using System.Threading;

namespace Contrastive.Probe
{
    internal static class Program
    {
        private static readonly Action[] Entries =
        {
            () => Config.Parse("{}"), () => Config.Empty.With("a", 1),
            () => Config.Empty.With(Config.Empty), () => Config.Describe("model"),
            () => SentenceEncoder.Load("."), () => SentenceEncoder.Create(Config.Empty),
            () => Vocabulary.Train("a", "b"), () => new Dataset(), () => Dataset.Open("a"),
            () => Similarity.Score(new float[1], new float[1]),
            () => Search.Nearest(
                new Embeddings(new float[1], 1), new Embeddings(new float[1], 1), 1),
            () => Quantization.Calibrate(new float[1], 1),
            () => Quantization.Quantize(new Embeddings(new float[1], 1), Precision.Binary),
            () => Library.SetThreads(1), () => Library.SetLibTorch(null),
            () => Library.SetLogSink(null), () => GC.KeepAlive(Library.LiveHandles),
            () => GC.KeepAlive(BuildInfo.Get().AbiVersion), () => GC.KeepAlive(Library.Version),
            () => GC.KeepAlive(BuildInfo.Get())
        };

        private static void Try(string model, string[] folders)
        {
            using SentenceEncoder encoder = SentenceEncoder.Load(model);
            float[] before = encoder.Encode("the cat sat");
            Attempt("training", () => Train(encoder));
            Attempt("device=cuda",
                () => SentenceEncoder.Load(model, Config.Empty.With("device", "cuda")).Dispose());
            foreach (string folder in folders)
            {
                Attempt("LibTorch from '" + folder + "'", () => Library.SetLibTorch(folder));
                Attempt("training", () => Train(encoder));
            }
            Console.WriteLine("embeds alike: " +
                (Similarity.Score(before, encoder.Encode("the cat sat")) > 0.999));
        }

        private static void Train(SentenceEncoder encoder)
        {
            using var trainer = new Trainer(encoder, null,
                Config.Empty.With("method", "mnrl").With("batch_size", 2).With("max_steps", 1));
            trainer.Batch(new[] { ("the cat sat", "a cat sits"), ("a dog runs", "the dog ran") });
        }

        /// <summary>Starts a background thread that is in a call of several minutes, or in a loop
        /// of short calls.</summary>
        private static void Leave(string what, string model)
        {
            SentenceEncoder encoder = SentenceEncoder.Load(model);
            var data = new Dataset();
            for (int i = 0; i < 64; ++i)
                data.Add("the " + i + " birds fly far", "a cat sat on the mat");
            var trainer = new Trainer(encoder, data, Config.Empty.With("method", "mnrl")
                .With("batch_size", 16).With("max_steps", 1000000));
            trainer.Step();
            string[] texts = Enumerable.Repeat(
                "two birds fly over the old house; the cat sat on the mat.", 1000000).ToArray();
            var floats = new float[texts.Length * encoder.Dimension];
            CancellationToken token = what == "token" ? new CancellationTokenSource().Token
                : default;
            EncodeOptions? options = what == "encode" ? new EncodeOptions() : null;
            using var running = new ManualResetEventSlim();
            var thread = new Thread(() =>
            {
                running.Set();
                if (what == "task") encoder.EncodeAsync(texts).GetAwaiter().GetResult();
                if (what != "train")
                    encoder.Encode(texts.AsSpan(), floats, default, options, token);
                while (trainer.Step()) { }
            });
            thread.IsBackground = true;
            thread.Start();
            running.Wait();
            Thread.Sleep(500);
            Console.WriteLine("ends");
        }

        private static void Attempt(string what, Action action)
        {
            try
            {
                action();
                Console.WriteLine(what + ": done");
            }
            catch (ContrastiveException e)
            {
                Console.WriteLine(what + ": " + e.Kind + ": " + e.Message);
            }
        }

        private static int Main(string[] arguments)
        {
            try
            {
                if (arguments.Length == 3 && arguments[0] == "--end")
                {
                    Leave(arguments[1], arguments[2]);
                    return 7;
                }
                if (arguments.Length > 0) Try(arguments[0], arguments.Skip(1).ToArray());
                Console.WriteLine("version " + Library.Version);
                Console.WriteLine("library " + BuildInfo.Get().LibraryPath);
                Console.WriteLine(BuildInfo.Get());
                return 0;
            }
            catch (DllNotFoundException)
            {
                foreach (Action entry in Entries)
                {
                    try
                    {
                        entry();
                        Console.WriteLine("needs no library");
                    }
                    catch (Exception e)
                    {
                        Console.WriteLine(e.GetType().Name + ": " + e.Message);
                    }
                }
                Console.WriteLine(Entries.Length + " entries");
                return 1;
            }
        }
    }
}
