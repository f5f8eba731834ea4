// Checks arguments, and declares for netstandard2.0 the attributes that the compiler looks for.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Contrastive.Interop
{
    internal static class Guard
    {
        // The longest array of .NET that is not of bytes.
        private const int MostItems = 0x7FFFFFC7;

        // Returns the argument, or throws if it is null.
        internal static T NotNull<T>([NotNull] T? value,
            [CallerArgumentExpression(nameof(value))] string name = "") where T : class =>
            value ?? throw new ArgumentNullException(name);

        // For the value of a property.
        internal static int? PositiveOrNull(int? value, string name = "value") =>
            value is int number && number < 1
            ? throw new ArgumentOutOfRangeException(name, number,
                "The number must be 1 or more, or null for the default.")
            : value;

        internal static int Positive(int value,
            [CallerArgumentExpression(nameof(value))] string name = "") => value >= 1 ? value
            : throw new ArgumentOutOfRangeException(name, value, "The number must be 1 or more.");

        internal static int Known(Metric metric, string name = "metric") =>
            metric >= Metric.Cosine && metric <= Metric.Manhattan ? (int)metric
            : throw new ArgumentOutOfRangeException(name, metric, "There is no such metric.");

        internal static void HasRoom(long room, long needed, string name)
        {
            if (room < needed)
                throw new ArgumentException("There is room for " + room + " items of " + needed +
                    ".", name);
        }

        // The length of an array of rows.
        internal static int Items(long rows, long columns, string advice) =>
            rows * columns <= MostItems ? (int)(rows * columns)
            : throw new ContrastiveException((int)ErrorKind.Limit, rows + " x " + columns +
                " items are more than an array of .NET can hold (" + MostItems + "): " + advice);
    }
}

#if NETSTANDARD
namespace System.Runtime.CompilerServices
{
    [AttributeUsage(AttributeTargets.Parameter)]
    internal sealed class CallerArgumentExpressionAttribute : Attribute
    {
        public CallerArgumentExpressionAttribute(string parameterName) =>
            ParameterName = parameterName;

        public string ParameterName { get; }
    }

    internal static class IsExternalInit { }
}

namespace System.Diagnostics.CodeAnalysis
{
    [AttributeUsage(AttributeTargets.Parameter)]
    internal sealed class NotNullAttribute : Attribute { }
}
#endif
