// Loads the model when the host starts.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Contrastive.Extensions.AI
{
    /// <summary>Loads the model before the first request, and embeds a text with the default
    /// options, so that a prompt or pooling that the model does not have stops the start.</summary>
    internal sealed class ModelAtStart(IServiceProvider services, string? key) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken)
        {
            ContrastiveEmbeddingGenerator generator = await Task.Run(() =>
                services.GetRequiredKeyedService<ContrastiveEmbeddingGenerator>(key),
                cancellationToken).ConfigureAwait(false);
            try
            {
                await generator.ProbeAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (ContrastiveException e)
            {
                throw new OptionsValidationException(key ?? Options.DefaultName,
                    typeof(ContrastiveEmbeddingGeneratorOptions),
                    ["The model does not embed with the options in Encode: " + e.Message]);
            }
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
