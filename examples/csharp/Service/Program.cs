// Serves a model over HTTP. See EmbeddingService.cs for the requests.
//
//   Service MODEL [PREFIX]      e.g. http://localhost:8080/
using System;
using System.Threading;
using Contrastive;
using Contrastive.Examples;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length < 1)
        {
            Console.Error.WriteLine("usage: Service MODEL [PREFIX]");
            return 2;
        }
        string prefix = arguments.Length > 1 ? arguments[1] : "http://localhost:8080/";
        using var stopped = new ManualResetEventSlim();
        Console.CancelKeyPress += (sender, key) =>
        {
            key.Cancel = true;
            stopped.Set();
        };
        using var service = new EmbeddingService(SentenceEncoder.Load(arguments[0]), prefix,
            Config.Empty.With("method", "mnrl").With("epochs", 1));
        Console.WriteLine("listening on " + prefix);
        stopped.Wait();
        return 0;
    }
}
