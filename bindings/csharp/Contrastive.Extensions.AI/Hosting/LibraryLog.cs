// Messages of the library, for loggers.
using System;
using System.Linq;
using Microsoft.Extensions.Logging;

namespace Contrastive.Extensions.AI
{
    /// <summary>Passes the messages of the library to the logger "Contrastive.Library". The library
    /// has one sink for the whole process. If the process has several hosts, each of them gets all
    /// messages.</summary>
    internal sealed class LibraryLog : IDisposable
    {
        private static readonly object gate_ = new object();
        private static volatile ILogger[] loggers_ = [];

        private readonly ILogger logger_;

        internal LibraryLog(ILoggerFactory loggers)
        {
            logger_ = loggers.CreateLogger("Contrastive.Library");
            lock (gate_) Set([.. loggers_, logger_]);
        }

        private static void Set(ILogger[] loggers)
        {
            loggers_ = loggers;
            if (!loggers.Any(logger => logger.IsEnabled(LogLevel.Warning)))
                Library.SetLogSink(null);
            else if (loggers.Any(logger => logger.IsEnabled(LogLevel.Debug)))
                Library.SetLogSink(Write, LogSeverity.Debug);
            else
                Library.SetLogSink(Write, LogSeverity.Info);
        }

        private static void Write(LogSeverity severity, string message)
        {
            LogLevel to = severity switch
            {
                LogSeverity.Debug => LogLevel.Debug,
                LogSeverity.Info => LogLevel.Information,
                _ => LogLevel.Warning
            };
            foreach (ILogger logger in loggers_)
                logger.Log(to, default, message, null, (text, _) => text);
        }

        public void Dispose()
        {
            lock (gate_) Set(loggers_.Where(logger => !ReferenceEquals(logger, logger_)).ToArray());
        }
    }
}
