// Tests and benchmarks use the raw layer.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Contrastive.Tests")]
[assembly: InternalsVisibleTo("Overhead")]
