// The raw layer is tested as well.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Contrastive.Tests")]
