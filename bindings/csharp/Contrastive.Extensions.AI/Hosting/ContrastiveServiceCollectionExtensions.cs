// Registers an embedding generator as a service.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Contrastive;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection
{
    /// <summary>Registers a <see cref="ContrastiveEmbeddingGenerator"/> and its
    /// <see cref="SwappableEncoder"/> as singletons, and the generator as
    /// <see cref="IEmbeddingGenerator{TInput, TEmbedding}"/>.</summary>
    /// <remarks>The options are validated, the model is loaded and a text is embedded when the host
    /// starts, so a wrong setting stops the program there. The returned builder takes further
    /// settings and checks. Each generator that is resolved as an interface is behind a
    /// <see cref="ModelPinningEmbeddingGenerator"/>. Messages of the library go to the logger
    /// "Contrastive.Library", and loads and swaps to
    /// "Contrastive.Extensions.AI.ContrastiveEmbeddingGenerator".</remarks>
    public static class ContrastiveServiceCollectionExtensions
    {
        /// <summary>Registers a generator with options from configuration. A key that is not an
        /// option is an error.</summary>
        /// <param name="services">The services.</param>
        /// <param name="configuration">The section of the options, such as
        /// <c>builder.Configuration.GetSection("Contrastive")</c>.</param>
        /// <param name="pipeline">Puts stages around the generator.</param>
        public static OptionsBuilder<ContrastiveEmbeddingGeneratorOptions>
            AddContrastiveEmbeddingGenerator(this IServiceCollection services,
                IConfiguration configuration, EmbeddingGeneratorPipeline? pipeline = null) =>
            Add(services, null, Binding(configuration), pipeline);

        /// <summary>Registers a generator with options from code.</summary>
        /// <param name="services">The services.</param>
        /// <param name="configure">Sets the options.</param>
        /// <param name="pipeline">Puts stages around the generator.</param>
        public static OptionsBuilder<ContrastiveEmbeddingGeneratorOptions>
            AddContrastiveEmbeddingGenerator(this IServiceCollection services,
                Action<ContrastiveEmbeddingGeneratorOptions> configure,
                EmbeddingGeneratorPipeline? pipeline = null) =>
            Add(services, null, configure, pipeline);

        /// <summary>Registers one of several generators, with a key, and with options from
        /// configuration. The key is also the name of its options.</summary>
        /// <param name="services">The services.</param>
        /// <param name="serviceKey">The key.</param>
        /// <param name="configuration">The section of the options.</param>
        /// <param name="pipeline">Puts stages around the generator.</param>
        public static OptionsBuilder<ContrastiveEmbeddingGeneratorOptions>
            AddKeyedContrastiveEmbeddingGenerator(this IServiceCollection services,
                string serviceKey, IConfiguration configuration,
                EmbeddingGeneratorPipeline? pipeline = null)
        {
            ArgumentNullException.ThrowIfNull(serviceKey);
            return Add(services, serviceKey, Binding(configuration), pipeline);
        }

        /// <summary>Registers one of several generators, with a key, and with options from code.
        /// The key is also the name of its options.</summary>
        /// <param name="services">The services.</param>
        /// <param name="serviceKey">The key.</param>
        /// <param name="configure">Sets the options.</param>
        /// <param name="pipeline">Puts stages around the generator.</param>
        public static OptionsBuilder<ContrastiveEmbeddingGeneratorOptions>
            AddKeyedContrastiveEmbeddingGenerator(this IServiceCollection services,
                string serviceKey, Action<ContrastiveEmbeddingGeneratorOptions> configure,
                EmbeddingGeneratorPipeline? pipeline = null)
        {
            ArgumentNullException.ThrowIfNull(serviceKey);
            return Add(services, serviceKey, configure, pipeline);
        }

        private static Action<ContrastiveEmbeddingGeneratorOptions> Binding(
            IConfiguration configuration)
        {
            ArgumentNullException.ThrowIfNull(configuration);
            return options => configuration.Bind(options,
                binder => binder.ErrorOnUnknownConfiguration = true);
        }

        private static OptionsBuilder<ContrastiveEmbeddingGeneratorOptions> Add(
            IServiceCollection services, string? key,
            Action<ContrastiveEmbeddingGeneratorOptions> configure,
            EmbeddingGeneratorPipeline? pipeline)
        {
            ArgumentNullException.ThrowIfNull(services);
            ArgumentNullException.ThrowIfNull(configure);
            if (!services.Any(service => service.ServiceType == typeof(SwappableEncoder) &&
                Equals(service.ServiceKey, key)))
                AddModel(services, key);
            services.AddKeyedSingleton(key, (provider, _) =>
            {
                IEmbeddingGenerator<string, Embedding<float>> generator =
                    provider.GetRequiredKeyedService<ContrastiveEmbeddingGenerator>(key);
                if (pipeline != null) generator = pipeline(generator, provider);
                return (IEmbeddingGenerator<string, Embedding<float>>)
                    new ModelPinningEmbeddingGenerator(generator);
            });
            services.AddKeyedSingleton<IEmbeddingGenerator>(key, (provider, _) => provider
                .GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>(key));
            return services
                .AddOptions<ContrastiveEmbeddingGeneratorOptions>(
                    key ?? Options.Options.DefaultName)
                .Configure(configure)
                .ValidateOnStart();
        }

        private static void AddModel(IServiceCollection services, string? key)
        {
            services.TryAddEnumerable(ServiceDescriptor.Singleton<
                IValidateOptions<ContrastiveEmbeddingGeneratorOptions>, OptionsValidator>());
            services.TryAddSingleton(provider => new LibraryLog(Loggers(provider)));
            services.AddKeyedSingleton(key, (provider, _) =>
                Load(provider, OptionsOf(provider, key)));
            services.AddKeyedSingleton(key, (provider, _) => new ContrastiveEmbeddingGenerator(
                provider.GetRequiredKeyedService<SwappableEncoder>(key), OptionsOf(provider, key)));
            services.AddSingleton<IHostedService>(provider => new ModelAtStart(provider, key));
        }

        private static ILoggerFactory Loggers(IServiceProvider provider) =>
            provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;

        private static ContrastiveEmbeddingGeneratorOptions OptionsOf(IServiceProvider provider,
            string? key) =>
            provider.GetRequiredService<IOptionsMonitor<ContrastiveEmbeddingGeneratorOptions>>()
                .Get(key ?? Options.Options.DefaultName);

        private static SwappableEncoder Load(IServiceProvider provider,
            ContrastiveEmbeddingGeneratorOptions options)
        {
            // Before the model, so that its messages are logged too.
            provider.GetRequiredService<LibraryLog>();
            ILogger logger = Loggers(provider).CreateLogger<ContrastiveEmbeddingGenerator>();
            string folder = Path.TrimEndingDirectorySeparator(Path.GetFullPath(options.ModelPath!));
            // Configuration writes JSON's true as True.
            Config config = Config.From(options.Model.Select(entry => KeyValuePair.Create(entry.Key,
                bool.TryParse(entry.Value, out bool flag) ? (flag ? "true" : "false")
                    : (string?)entry.Value)));
            var watch = Stopwatch.StartNew();
            SentenceEncoder encoder = SentenceEncoder.Load(folder, config);
            int dimension = encoder.Dimension;
            var models = new SwappableEncoder(encoder,
                options.ModelName ?? Path.GetFileName(folder));
            logger.Loaded(models.ModelId, dimension, folder, watch.ElapsedMilliseconds);
            models.Swapped += (_, swap) => logger.Replaced(swap.PreviousModelId, swap.ModelId);
            return models;
        }
    }
}
