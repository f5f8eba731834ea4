// Prints what the library is. Where there is none, calls everything that may be the first to need it, and prints why each failed: the tests of the
// loader run it, and so may anybody whose service does not start.
using System;

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
            () => Library.SetThreads(1), () => Library.SetLogSink(null),
            () => GC.KeepAlive(Library.LiveHandles), () => GC.KeepAlive(BuildInfo.Get().AbiVersion), () => GC.KeepAlive(Library.Version),
            () => GC.KeepAlive(BuildInfo.Get())
        };

        private static int Main()
        {
            try
            {
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
