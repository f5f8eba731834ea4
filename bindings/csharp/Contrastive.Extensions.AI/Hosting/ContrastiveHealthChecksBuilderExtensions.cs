// Registers the health check.
using System;
using System.Collections.Generic;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection
{
    /// <summary>Registers the health check of a generator.</summary>
    public static class ContrastiveHealthChecksBuilderExtensions
    {
        /// <summary>Adds a health check that embeds a text, unless a call has done so since the
        /// last check. Its data has the model's id and the numbers of running and waiting
        /// calls.</summary>
        /// <param name="builder">The health checks.</param>
        /// <param name="name">The name of the check.</param>
        /// <param name="serviceKey">The key of the generator, if it has one.</param>
        /// <param name="failureStatus">The status of a failure. Null: unhealthy.</param>
        /// <param name="tags">Tags of the check.</param>
        public static IHealthChecksBuilder AddContrastiveEmbeddingGenerator(
            this IHealthChecksBuilder builder, string name = "contrastive",
            string? serviceKey = null, HealthStatus? failureStatus = null,
            IEnumerable<string>? tags = null)
        {
            ArgumentNullException.ThrowIfNull(builder);
            return builder.Add(new HealthCheckRegistration(name,
                services => new ContrastiveHealthCheck(services, serviceKey), failureStatus, tags));
        }
    }
}
