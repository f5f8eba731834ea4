// The end of the process while a background thread trains or embeds: its own exit status, and no
// exception that anybody sees.
using System;
using System.Diagnostics;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class ProcessEndTests
    {
        /// <summary>The thread trains, or makes a call with a cancel flag, without one, with a
        /// token that is never cancelled, or in a task.</summary>
        [TrainingFact]
        public void ABackgroundThreadEndsQuietly()
        {
            using var folder = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder[""], training: true);
            foreach (string what in new[] { "train", "encode", "plain", "token",
                "task" })
            {
                Stopwatch watch = Stopwatch.StartNew();
                (int status, string output) = ProbeProcess.RunToItsEnd(folder.Path,
                    new[] { "--end", what, Support.Fixture("models/bert_st") },
                    ("CONTRASTIVE_LIBTORCH", BuildInfo.Get().LibTorchPath!));
                Assert.Equal(what + ": 7: ends\n", what + ": " + status + ": " + output);
                Assert.InRange(watch.Elapsed.TotalSeconds, 0, 60);
            }
        }
    }
}
