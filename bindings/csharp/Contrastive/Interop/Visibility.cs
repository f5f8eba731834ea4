// The raw layer is tested and measured as well.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Contrastive.Tests")]
[assembly: InternalsVisibleTo("Overhead")]
