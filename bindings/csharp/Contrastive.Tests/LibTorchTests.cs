// The training plugin and LibTorch: if they are missing, and from configured folders, in separate
// processes.
using System;
using System.Diagnostics;
using System.IO;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LibTorchTests
    {
        private static readonly string Model = Support.Fixture("models/bert_st");

        [Fact]
        public void AnInstallationThatOnlyEmbedsSaysWhatTrainingNeeds()
        {
            using var folder = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder["runtimes/linux-x64/native"]);
            string output = ProbeProcess.Run(folder.Path, new[] { Model });
            Assert.Contains("training: Unsupported: training needs", output);
            Assert.Contains("libcontrastive-torch.so.0 is neither in " +
                folder["runtimes/linux-x64/native"], output);
            Assert.Contains("device=cuda: Device: ", output);
            Assert.Contains("embeds alike: True\nversion " + Library.Version, output);
            Assert.Contains("\"libtorch\":\"\"", output);
        }

        [TrainingFact]
        public void LibTorchIsTakenFromWhereItIsNamed()
        {
            using var folder = new TemporaryFolder();
            ProbeProcess.CopyNatives(folder[""], training: true);
            string own = folder["own"];
            Directory.CreateDirectory(own);
            using (Process link = Process.Start("ln",
                "-s \"" + BuildInfo.Get().LibTorchPath! + "\" \"" + own + "/lib\"")!)
                link.WaitForExit();
            string output = ProbeProcess.Run(folder.Path, new[] { Model, "/nowhere/by/call", "",
                own, "/nowhere" }, ("CONTRASTIVE_LIBTORCH", "/nowhere/by/variable"));
            string byVariable = "/nowhere/by/variable (CONTRASTIVE_LIBTORCH) is not a LibTorch";
            // It is tried for training, for CUDA, and for training again.
            Assert.Equal(4, output.Split(new[] { byVariable }, StringSplitOptions.None).Length);
            Assert.Contains("/nowhere/by/call (cs_set_libtorch) is not a LibTorch", output);
            Assert.Contains("LibTorch from '" + own + "': done\ntraining: done\nLibTorch from " +
                "'/nowhere': State: LibTorch is loaded from " + own, output);
            Assert.Contains("embeds alike: True\n", output);
            Assert.Contains("\"libtorch_path\":\"" + own + "/lib\"", output);
            string variable = ProbeProcess.Run(folder.Path, new[] { Model },
                ("CONTRASTIVE_LIBTORCH", own + "/lib"));
            Assert.Contains("training: done\n", variable);
            Assert.Contains("\"libtorch_path\":\"" + own + "/lib\"", variable);
        }
    }
}
