// What the package logs itself.
using Microsoft.Extensions.Logging;

namespace Contrastive.Extensions.AI
{
    internal static partial class Messages
    {
        [LoggerMessage(1, LogLevel.Information, "Loaded the model {ModelId} with {Dimension} " +
            "dimensions from {Path} in {Milliseconds} ms.", EventName = "Loaded")]
        internal static partial void Loaded(this ILogger logger, string modelId, int dimension,
            string path, long milliseconds);

        [LoggerMessage(2, LogLevel.Information, "The model {ModelId} replaced {PreviousModelId}.",
            EventName = "Replaced")]
        internal static partial void Replaced(this ILogger logger, string previousModelId,
            string modelId);
    }
}
