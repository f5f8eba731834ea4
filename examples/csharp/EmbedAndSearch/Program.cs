// Embeds a few texts and finds the ones nearest to a question.
//
//   EmbedAndSearch MODEL [QUESTION]
using System;
using Contrastive;

internal static class Program
{
    private static readonly string[] Texts =
    {
        "The invoice is due at the end of the month.",
        "To change your password, open the settings.", "Our office is closed on public holidays.",
        "Refunds are paid back to the card that was used.", "The new release starts twice as fast.",
        "Passwords need at least twelve characters."
    };

    private static int Main(string[] arguments)
    {
        if (arguments.Length < 1)
        {
            Console.Error.WriteLine("usage: EmbedAndSearch MODEL [QUESTION]");
            return 2;
        }
        string question = arguments.Length > 1 ? arguments[1] : "I forgot my login";
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        Embeddings corpus = encoder.Encode(Texts);
        Embeddings queries = encoder.Encode(new[] { question });
        Console.WriteLine(question);
        foreach (SearchHit hit in Search.Nearest(queries, corpus, 3)[0])
            Console.WriteLine("  {0:0.000}  {1}", hit.Score, Texts[hit.Index]);
        return 0;
    }
}
