// A service on a port of this machine, and the loggers of the tests.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Contrastive.Extensions.AI.Tests
{
    /// <summary>Keeps what is logged.</summary>
    internal sealed class Messages : ILoggerProvider
    {
        private readonly ConcurrentQueue<string> messages_ = new ConcurrentQueue<string>();

        /// <summary>"category level message" of each.</summary>
        internal IEnumerable<string> All => messages_;

        internal IEnumerable<string> Of(string category) =>
            messages_.Where(message =>
                message.StartsWith(category + " ", StringComparison.Ordinal));

        public ILogger CreateLogger(string categoryName) => new Logger(categoryName, messages_);

        public void Dispose() { }

        private sealed class Logger(string category, ConcurrentQueue<string> messages) : ILogger
        {
            public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

            public bool IsEnabled(LogLevel logLevel) => true;

            public void Log<TState>(LogLevel logLevel, EventId eventId,
                TState state, Exception? exception,
                Func<TState, Exception?, string> formatter) =>
                messages.Enqueue(category + " " + logLevel + " " + formatter(state, exception));
        }
    }

    internal static class TestHost
    {
        /// <summary>A host that listens on a free port of the loopback address.</summary>
        internal static WebApplicationBuilder Builder(Messages? messages = null,
            params (string Key, string Value)[] settings)
        {
            WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders().SetMinimumLevel(LogLevel.Debug);
            if (messages != null) builder.Logging.AddProvider(messages);
            builder.Configuration.Sources.Clear();  // the appsettings.json of the example
            builder.Configuration.AddInMemoryCollection(settings.Select(setting =>
                KeyValuePair.Create(setting.Key, (string?)setting.Value)));
            builder.Configuration["urls"] = "http://127.0.0.1:0";
            return builder;
        }

        internal static HttpClient Client(WebApplication app) => new HttpClient
        {
            BaseAddress = new Uri(app.Services.GetRequiredService<IServer>().Features
                .Get<IServerAddressesFeature>()!.Addresses.Single()),
            Timeout = TimeSpan.FromMinutes(2)
        };

        /// <summary>The error with which a host with these services does not start.</summary>
        internal static async Task<Exception> Failure(WebApplicationBuilder builder)
        {
            await using WebApplication app = builder.Build();
            Exception? failure = await Xunit.Record.ExceptionAsync(() => app.StartAsync());
            Xunit.Assert.NotNull(failure);
            return failure;
        }
    }
}
