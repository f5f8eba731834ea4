// Checks arguments, and declares for netstandard2.0 the attributes that the compiler looks for.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Contrastive.Interop
{
    internal static class Guard
    {
        /// <summary>Returns the argument, or throws if it is null.</summary>
        internal static T NotNull<T>([NotNull] T? value,
            [CallerArgumentExpression(nameof(value))] string name = "") where T : class =>
            value ?? throw new ArgumentNullException(name);
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
