// What reaches the loggers.
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace Contrastive.Extensions.AI.Tests
{
    public sealed class LogTests
    {
        private const string Own = "Contrastive.Extensions.AI.ContrastiveEmbeddingGenerator",
            Native = "Contrastive.Library";

        private static WebApplication Service(Messages messages)
        {
            WebApplicationBuilder builder = TestHost.Builder(messages);
            builder.Services.AddContrastiveEmbeddingGenerator(options =>
                options.ModelPath = Support.Model);
            return builder.Build();
        }

        /// <summary>Makes the library log a warning.</summary>
        private static void Provoke()
        {
            using var folder = new ChangedModel();
            string texts = System.IO.Path.Combine(folder.Path, "texts.txt");
            System.IO.File.WriteAllLines(texts,
                Enumerable.Repeat("the cat sat\n" + new string('x', 100), 10));
            Vocabulary.Train(texts, System.IO.Path.Combine(folder.Path, "vocabulary"));
        }

        [Fact]
        public async Task LoadsAndSwapsAreLogged()
        {
            var messages = new Messages();
            await using WebApplication app = Service(messages);
            await app.StartAsync();
            var models = app.Services.GetRequiredService<SwappableEncoder>();
            string first = models.ModelId;
            string loaded = Assert.Single(messages.Of(Own));
            Assert.StartsWith(Own + " Information Loaded the model " + first +
                " with 32 dimensions from " + Support.Model, loaded);
            string second = models.Swap(Support.Tiny(), "second");
            Assert.Equal(Own + " Information The model " + second + " replaced " + first + ".",
                messages.Of(Own).Last());
        }

        [Fact]
        public async Task MessagesOfTheLibraryAreLoggedUntilTheHostEnds()
        {
            var first = new Messages();
            var second = new Messages();
            await using (WebApplication app = Service(first))
            {
                await app.StartAsync();
                Provoke();
                Assert.Contains(first.Of(Native), message =>
                    message.StartsWith(Native + " Warning ", System.StringComparison.Ordinal));
                await using (WebApplication another = Service(second))
                {
                    await another.StartAsync();
                    int before = first.Of(Native).Count();
                    Provoke();
                    Assert.True(first.Of(Native).Count() > before, "only one host is told");
                    Assert.NotEmpty(second.Of(Native));
                }
                int told = first.Of(Native).Count(), ended = second.Of(Native).Count();
                Provoke();
                Assert.True(first.Of(Native).Count() > told,
                    "the end of one host silenced another");
                Assert.Equal(ended, second.Of(Native).Count());
            }
            int last = first.Of(Native).Count();
            Provoke();
            Assert.Equal(last, first.Of(Native).Count());
        }
    }
}
