// Loads a model and embeds a text, and says where the library was found, and whether it can train.
using System;
using Contrastive;

internal static class Program
{
    private static void Main(string[] arguments)
    {
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        float[] embedding = encoder.Encode("a dog 🙂");
        BuildInfo info = BuildInfo.Get();
        string training = info.LibTorch ?? info.LibTorchReason ?? "";
        Console.WriteLine("{0} floats by {1} from {2}; LibTorch {3}", embedding.Length,
            info.Version, info.LibraryPath, training);
    }
}
