// Loads a model and embeds a text, and says where the library was found.
using System;
using Contrastive;

internal static class Program
{
    private static void Main(string[] arguments)
    {
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        float[] embedding = encoder.Encode("a dog 🙂");
        Console.WriteLine("{0} floats by {1} from {2}", embedding.Length, Library.Version, BuildInfo.Get().LibraryPath);
    }
}
