// Runs the tests where xunit's packages are not in reach: the few of its names that the tests use,
// and a Main. With them it is left out.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;

namespace Xunit
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class FactAttribute : Attribute { }

    [AttributeUsage(AttributeTargets.Assembly)]
    public sealed class CollectionBehaviorAttribute : Attribute
    {
        public bool DisableTestParallelization { get; set; }
    }

    public sealed class FailedException : Exception
    {
        public FailedException(string message) : base(message) { }
    }

    public static class Assert
    {
        public static void True(bool condition, string message = "expected true")
        {
            if (!condition) throw new FailedException(message);
        }

        public static void False(bool condition, string message = "expected false") =>
            True(!condition, message);

        public static void Equal<T>(T expected, T actual)
        {
            bool same =
                expected is IEnumerable e && actual is IEnumerable a && !(expected is string)
                ? e.Cast<object>().SequenceEqual(a.Cast<object>())
                : EqualityComparer<T>.Default.Equals(expected, actual);
            True(same, "expected " + Show(expected) + ", got " + Show(actual));
        }

        public static void NotEqual<T>(T other, T actual) => False(
            EqualityComparer<T>.Default.Equals(other, actual), "did not expect " + Show(actual));

        public static void Same(object expected, object actual) =>
            True(ReferenceEquals(expected, actual), "expected the same object");

        public static void Contains(string part, string whole) =>
            True(whole.Contains(part), "'" + part + "' is not in '" + whole + "'");

        public static void InRange<T>(T actual, T low, T high) where T : IComparable<T> =>
            True(actual.CompareTo(low) >= 0 && actual.CompareTo(high) <= 0,
                actual + " is not in " + low + " .. " + high);

        public static T Throws<T>(Action code) where T : Exception
        {
            try
            {
                code();
            }
            catch (Exception e) when (e.GetType() == typeof(T))
            {
                return (T)e;
            }
            throw new FailedException("expected " + typeof(T).Name);
        }

        public static T Throws<T>(Func<object> code) where T : Exception =>
            Throws<T>((Action)(() => code()));

        private static string Show(object? value) =>
            value is IEnumerable items && !(value is string)
                ? "[" + string.Join(", ", items.Cast<object>().Take(8)) + " ..]"
                : value?.ToString() ?? "null";
    }

    public static class Runner
    {
        /// <summary>Runs every test, or those whose name contains the argument. Returns 1 if a test
        /// failed or none was found.</summary>
        public static int Main(string[] arguments)
        {
            string filter = arguments.FirstOrDefault() ?? "";
            int passed = 0, failed = 0;
            var watch = Stopwatch.StartNew();
            IEnumerable<MethodInfo> tests = typeof(Runner).Assembly.GetTypes()
                .SelectMany(type => type.GetMethods())
                .Where(method => method.IsDefined(typeof(FactAttribute), false))
                .OrderBy(method => method.DeclaringType!.Name);
            foreach (MethodInfo test in tests)
            {
                string name = test.DeclaringType!.Name + "." + test.Name;
                if (!name.Contains(filter)) continue;
                var one = Stopwatch.StartNew();
                Exception? failure = Run(test);
                if (failure == null) ++passed; else ++failed;
                if (failure != null || one.ElapsedMilliseconds > 1000)
                    Console.WriteLine((failure == null ? "ok   " : "FAIL ") + name + " " +
                        one.ElapsedMilliseconds + " ms");
                if (failure != null)
                    Console.WriteLine(string.Join("\n", failure.ToString().Split('\n').Take(12)));
            }
            Console.WriteLine(passed + " passed, " + failed + " failed in " +
                watch.ElapsedMilliseconds / 1000.0 + " s");
            return failed == 0 && passed > 0 ? 0 : 1;
        }

        private static Exception? Run(MethodInfo test)
        {
            object? instance = null;
            try
            {
                instance = Activator.CreateInstance(test.DeclaringType!);
                test.Invoke(instance, null);
                return null;
            }
            catch (TargetInvocationException e)
            {
                return e.InnerException;
            }
            finally
            {
                (instance as IDisposable)?.Dispose();
            }
        }
    }
}
