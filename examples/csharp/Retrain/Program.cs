// Trains a model on your own pairs of texts with the same meaning, and saves it.
//
//   Retrain MODEL PAIRS.tsv OUTPUT [KEY=VALUE...]
//
// An example of keys is max_steps=100 lr=1e-5. `contrastive config train` lists them all.
using System;
using System.Linq;
using System.Threading;
using Contrastive;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length < 3)
        {
            Console.Error.WriteLine("usage: Retrain MODEL PAIRS.tsv OUTPUT [KEY=VALUE...]");
            return 2;
        }
        Config config = Config.Empty.With("method", "mnrl");
        foreach (string[] setting in arguments.Skip(3)
            .Select(argument => argument.Split(new[] { '=' }, 2)))
        {
            if (setting.Length != 2)
                throw new ArgumentException("'" + setting[0] + "' is not KEY=VALUE");
            config = config.WithTyped(setting[0], setting[1]);
        }

        using var interrupted = new CancellationTokenSource();
        Console.CancelKeyPress += (sender, key) =>
        {
            key.Cancel = true;  // finish the running step and save the model
            interrupted.Cancel();
        };
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        using Dataset data = Dataset.Open(arguments[1]);
        using var trainer = new Trainer(encoder, data, config);
        Console.WriteLine("{0} pairs, {1} steps", data.Count, trainer.Metric("total_steps"));
        try
        {
            while (trainer.Step(interrupted.Token))
                Console.WriteLine("step {0}  loss {1:0.0000}", trainer.Metric("step"),
                    trainer.Metric("loss"));
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("stopped; Trainer.Resume goes on from what is saved");
        }
        trainer.Save(arguments[2]);
        Console.WriteLine("saved " + arguments[2]);
        return 0;
    }
}
