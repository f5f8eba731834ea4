// Retrains a model from a database, batch by batch, as a nightly job does: no file is written, and no more than a batch is in memory.
//
//   SqliteRetrain MODEL DATABASE OUTPUT [QUERY]      the query gives two columns: a text, and one that means the same
using System;
using System.Collections.Generic;
using System.Data.Common;
using Contrastive;
#if MONO_SQLITE
using Mono.Data.Sqlite;
#else
using Microsoft.Data.Sqlite;
#endif

internal static class Program
{
    private const int BatchSize = 32;

    private static int Main(string[] arguments)
    {
        if (arguments.Length < 3)
        {
            Console.Error.WriteLine("usage: SqliteRetrain MODEL DATABASE OUTPUT [QUERY]");
            return 2;
        }
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        using DbConnection connection = new SqliteConnection("Data Source=" + arguments[1]);
        connection.Open();
        using DbCommand command = connection.CreateCommand();
        command.CommandText = arguments.Length > 3 ? arguments[3] : "SELECT a, b FROM pairs";
        using DbDataReader rows = command.ExecuteReader();

        Config config = Config.Empty.With("method", "clsr").With("batch_size", BatchSize).With("max_steps", long.MaxValue >> 32);
        using var trainer = new Trainer(encoder, null, config);
        var batch = new List<(string A, string B)>();
        long total = 0;
        while (rows.Read())
        {
            batch.Add((rows.GetString(0), rows.GetString(1)));
            if (batch.Count < BatchSize) continue;
            total += Train(trainer, batch, total);
        }
        if (batch.Count > 1) total += Train(trainer, batch, total);  // a batch of one has nothing to be compared with
        trainer.Save(arguments[2]);
        Console.WriteLine("saved {0} after {1} pairs", arguments[2], total);
        return 0;
    }

    private static int Train(Trainer trainer, List<(string A, string B)> batch, long before)
    {
        int count = batch.Count;
        trainer.TrainBatch(batch);
        batch.Clear();
        Console.WriteLine("{0} pairs  loss {1:0.0000}", before + count, trainer.Metric("loss"));
        return count;
    }
}
