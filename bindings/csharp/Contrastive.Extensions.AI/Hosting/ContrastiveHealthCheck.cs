// Whether the generator can embed.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Contrastive.Extensions.AI
{
    /// <summary>Healthy if a text has been embedded since the last check, or one can be embedded
    /// now. A check does not wait for the calls that wait for their turn.</summary>
    internal sealed class ContrastiveHealthCheck(IServiceProvider services, string? key)
        : IHealthCheck
    {
        public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context,
            CancellationToken cancellationToken = default)
        {
            try
            {
                var generator =
                    services.GetRequiredKeyedService<ContrastiveEmbeddingGenerator>(key);
                var models = services.GetRequiredKeyedService<SwappableEncoder>(key);
                await generator.ProbeAsync(cancellationToken).ConfigureAwait(false);
                return HealthCheckResult.Healthy("The model embeds.",
                    new Dictionary<string, object>
                    {
                        ["model"] = models.ModelId,
                        ["running_calls"] = generator.RunningCalls,
                        ["waiting_calls"] = generator.WaitingCalls
                    });
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                return new HealthCheckResult(context.Registration.FailureStatus,
                    "The model does not embed: " + e.Message, e);
            }
        }
    }
}
