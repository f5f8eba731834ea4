// Prints what the library is. Where there is none, calls everything that may be the first to need it, and prints why each failed: the tests of the
// loader run it, and so may anybody whose service does not start.
//
//   Contrastive.Probe [MODEL [FOLDER...]]      with a model: whether it embeds and trains; then with LibTorch from each folder
using System;
using System.Linq;

namespace Contrastive.Probe
{
    internal static class Program
    {
        private static readonly Action[] Entries =
        {
            () => Config.Parse("{}"), () => Config.Empty.With("a", 1), () => Config.Empty.With(Config.Empty), () => Config.Describe("model"),
            () => SentenceEncoder.Load("."), () => SentenceEncoder.Create(Config.Empty), () => Vocabulary.Train("a", "b"), () => new Dataset(),
            () => Dataset.Open("a"), () => Similarity.Score(new float[1], new float[1]),
            () => Search.Nearest(new Embeddings(new float[1], 1), new Embeddings(new float[1], 1), 1), () => Quantization.Calibrate(new float[1], 1),
            () => Quantization.Quantize(new Embeddings(new float[1], 1), Precision.Binary),
            () => Library.SetThreads(1), () => Library.SetLibTorch(null), () => Library.SetLogSink(null),
            () => GC.KeepAlive(Library.LiveHandles), () => GC.KeepAlive(BuildInfo.Get().AbiVersion), () => GC.KeepAlive(Library.Version),
            () => GC.KeepAlive(BuildInfo.Get())
        };

        private static void Try(string model, string[] folders)
        {
            using SentenceEncoder encoder = SentenceEncoder.Load(model);
            float[] before = encoder.Encode("the cat sat");
            Attempt("training", () => Train(encoder));
            Attempt("device=cuda", () => SentenceEncoder.Load(model, Config.Empty.With("device", "cuda")).Dispose());
            foreach (string folder in folders)
            {
                Attempt("LibTorch from '" + folder + "'", () => Library.SetLibTorch(folder));
                Attempt("training", () => Train(encoder));
            }
            Console.WriteLine("embeds alike: " + (Similarity.Score(before, encoder.Encode("the cat sat")) > 0.999));
        }

        private static void Train(SentenceEncoder encoder)
        {
            using var trainer = new Trainer(encoder, null, Config.Empty.With("method", "clsr").With("batch_size", 2).With("max_steps", 1));
            trainer.Batch(new[] { ("the cat sat", "a cat sits"), ("a dog runs", "the dog ran") });
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
