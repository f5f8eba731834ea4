// Embeds each line of standard input. A line with a tab is a training pair. Adapts the model to the
// pairs on a timer.
//
//   Scheduled MODELS START HOURS [CANARY.tsv]
//
// The line "rollback" serves the previous model again.
using System;
using System.Globalization;
using Contrastive;
using Contrastive.Examples;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length < 3)
        {
            Console.Error.WriteLine("usage: Scheduled MODELS START HOURS [CANARY.tsv]");
            return 2;
        }
        Func<SentenceEncoder, double> canary = arguments.Length > 3
            ? ScheduledAdaptation.Found(arguments[3]) : encoder => 0;
        using var service = new ScheduledAdaptation(arguments[0], arguments[1], canary, 1000,
            Config.Empty.With("min_gain", 0.01));
        service.Every(TimeSpan.FromHours(double.Parse(arguments[2], CultureInfo.InvariantCulture)),
            Console.Error.WriteLine);
        for (string? line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            try
            {
                if (line == "rollback") service.Rollback();
                else if (line.IndexOf('\t') >= 0) service.Collect(new[] { line });
                else
                    Console.WriteLine(string.Join(" ", service.Encode(new[] { line },
                        out int model)[0].ToArray()) + "  by model " + model);
            }
            catch (Exception e) when (e is InvalidOperationException || e is FormatException ||
                e is ContrastiveException)
            {
                Console.Error.WriteLine(e.Message);
            }
        }
        return 0;
    }
}
