// Trains a new model in the background, and swaps it in.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Contrastive.Examples
{
    internal sealed partial class Retraining(SwappableEncoder models, DocumentIndex index,
        IConfiguration configuration, ILogger<Retraining> logger) : BackgroundService
    {
        private readonly Channel<Pair[]> waiting_ = Channel.CreateBounded<Pair[]>(1);
        private volatile string? error_;
        private int running_;

        public bool Running => Volatile.Read(ref running_) == 1;

        /// <summary>Why the last training failed.</summary>
        public string? Error => error_;

        /// <summary>Starts a training, unless one is running.</summary>
        public bool TryStart(Pair[] pairs) =>
            Interlocked.CompareExchange(ref running_, 1, 0) == 0 &&
            waiting_.Writer.TryWrite(pairs);

        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await foreach (Pair[] pairs in waiting_.Reader.ReadAllAsync(stoppingToken))
            {
                try
                {
                    SentenceEncoder next =
                        await Task.Run(() => Train(pairs, stoppingToken), stoppingToken);
                    await index.SwapAsync(next, stoppingToken);
                    error_ = null;
                }
                catch (Exception e) when (e is not OperationCanceledException)
                {
                    error_ = e.Message;  // the service continues with its current model
                    TrainingFailed(logger, e);
                }
                Volatile.Write(ref running_, 0);
            }
        }

        private SentenceEncoder Train(Pair[] pairs, CancellationToken stop)
        {
            Config config = Config.From(configuration.GetSection("Training").AsEnumerable(true));
            using var data = new Dataset();
            foreach (Pair pair in pairs) data.Add(pair.A, pair.B);
            using EncoderLease lease = models.Lease();
            using var trainer = new Trainer(lease.Encoder, data, config);
            trainer.Run(null, stop);
            return trainer.Model();
        }

        [LoggerMessage(1, LogLevel.Error, "The training failed; the current model stays.")]
        private static partial void TrainingFailed(ILogger logger, Exception failure);
    }
}
