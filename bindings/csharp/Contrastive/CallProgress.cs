// The progress of a long call.
using System.Globalization;

namespace Contrastive
{
    /// <summary>The progress of a long call, such as <see cref="SentenceEncoder.Adapt"/>.</summary>
    /// <remarks>A listener is called at most about ten times a second, by one thread at a time,
    /// which may be a thread of the library. It must not call the library. An exception that it
    /// throws cancels the call, which then throws that exception.</remarks>
    /// <param name="What">What is counted, such as "texts encoded".</param>
    /// <param name="Done">How many are done.</param>
    /// <param name="Total">How many there are; null if that is not known.</param>
    public readonly record struct CallProgress(string What, long Done, long? Total)
    {
        /// <inheritdoc/>
        public override string ToString() => Total is long total
            ? string.Format(CultureInfo.InvariantCulture, "{0} of {1} {2}", Done, total, What)
            : string.Format(CultureInfo.InvariantCulture, "{0} {1}", Done, What);
    }
}
