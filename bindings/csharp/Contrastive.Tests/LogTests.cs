// Messages of the library.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace Contrastive.Tests
{
    public sealed class LogTests : IDisposable
    {
        private readonly TemporaryFolder folder_ = new TemporaryFolder();

        public void Dispose()
        {
            Library.SetLogSink(null);
            folder_.Dispose();
        }

        /// <summary>Does what the library has a warning for: so few texts give a small vocabulary.</summary>
        private void Provoke()
        {
            File.WriteAllLines(folder_["tèxts 🙂.txt"], Enumerable.Repeat("the cat sat\n" + new string('x', 100), 10));
            Vocabulary.Train(folder_["tèxts 🙂.txt"], folder_["vocabulary"]);
        }

        [Fact]
        public void MessagesReachTheSink()
        {
            var messages = new List<string>();
            Library.SetLogSink((level, message) => messages.Add(level + " " + message), LogLevel.Warning);
            GC.Collect();  // nothing but the library's own field keeps what native code calls
            Provoke();
            Assert.True(messages.Count > 0, "no message");
            Assert.True(messages.All(message => message.StartsWith("Warning ", StringComparison.Ordinal)), string.Join("\n", messages));
            int before = messages.Count;
            Library.SetLogSink(null);
            Provoke();
            Assert.Equal(before, messages.Count);
        }

        [Fact]
        public void ASinkThatThrowsHarmsNothing()
        {
            int calls = 0;
            Library.SetLogSink((level, message) =>
            {
                ++calls;
                throw new InvalidOperationException("from the sink");
            });
            Provoke();
            Assert.True(calls > 0, "the sink was not called");
        }

        [Fact]
        public void ASinkThatCallsTheLibraryIsToldSo()
        {
            ErrorKind? answer = null;
            Library.SetLogSink((level, message) => answer = Assert.Throws<ContrastiveException>(() => Library.SetLogSink(null)).Kind);
            Provoke();
            Assert.Equal<ErrorKind?>(ErrorKind.Busy, answer);
        }
    }
}
