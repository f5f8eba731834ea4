using System;
using Contrastive;

/// <summary>One step of training, or why there is none.</summary>
class Train
{
    static void Main()
    {
        try
        {
            using (var encoder = SentenceEncoder.Load("all-MiniLM-L6-v2"))
            using (var data = new Dataset())
            {
                data.Add("the cat sat", "a cat sits");
                data.Add("a dog runs", "the dog ran");
                using (var trainer = new Trainer(encoder, data,
                    Config.Empty.With("method", "mnrl").With("batch_size", 2).With("max_steps", 1)))
                {
                    trainer.Step();
                    Console.WriteLine("trained {0:F0} step", trainer.Metric("step"));
                }
            }
        }
        catch (ContrastiveException e)
        {
            Console.WriteLine(e.Kind + ": " + e.Message);
        }
    }
}
