// Retrains a model from a database, batch by batch, as a nightly job would. It writes no file of
// examples, and only one batch is in memory.
//
//   SqliteRetrain MODEL DATABASE OUTPUT [QUERY]
//
// The query gives two columns: a text, and a text with the same meaning.
using System;
using System.Collections.Generic;
using System.Data.Common;
using Contrastive;
using Microsoft.Data.Sqlite;

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
        string query = arguments.Length > 3 ? arguments[3] : "SELECT a, b FROM pairs";
        using SentenceEncoder encoder = SentenceEncoder.Load(arguments[0]);
        using DbConnection database = new SqliteConnection("Data Source=" + arguments[1]);
        database.Open();
        long total = Convert.ToInt64(Command(database, "SELECT count(*) FROM (" + query + ")")
            .ExecuteScalar());
        using DbDataReader rows = Command(database, query).ExecuteReader();

        // The learning rate schedule needs the number of steps.
        using var trainer = new Trainer(encoder, null, Config.Empty.With("method", "mnrl")
            .With("max_steps", (total + BatchSize - 1) / BatchSize));
        long done = 0;
        var batch = new List<(string A, string B)>();
        while (rows.Read())
        {
            batch.Add((rows.GetString(0), rows.GetString(1)));
            if (batch.Count == BatchSize) Train(trainer, batch, ref done, total);
        }
        // A batch of one has no negatives.
        if (batch.Count > 1) Train(trainer, batch, ref done, total);
        trainer.Save(arguments[2]);
        Console.WriteLine("saved " + arguments[2]);
        return 0;
    }

    private static DbCommand Command(DbConnection database, string text)
    {
        DbCommand command = database.CreateCommand();
        command.CommandText = text;
        return command;
    }

    private static void Train(Trainer trainer, List<(string A, string B)> batch, ref long done,
        long total)
    {
        trainer.Batch(batch);
        done += batch.Count;
        batch.Clear();
        Console.WriteLine("{0} of {1} pairs  loss {2:0.0000}", done, total, trainer.Metric("loss"));
    }
}
