// The JSON of requests and answers.
using System.Text.Json.Serialization;

namespace Contrastive.Examples
{
    internal sealed record ModelId(string Model);
    internal sealed record Texts([property: JsonPropertyName("texts")] string[] Items);
    internal sealed record Vectors(string? Model, float[][] Embeddings);
    internal sealed record Query(string Text, int K = 3);
    internal sealed record Hit(string Text, float Score);
    internal sealed record Hits(string Model, Hit[] Found);
    internal sealed record Pair(string A, string B);
    internal sealed record Status(string Model, bool Training, string? Error);

    [JsonSourceGenerationOptions(System.Text.Json.JsonSerializerDefaults.Web)]
    [JsonSerializable(typeof(string[]))]
    [JsonSerializable(typeof(ModelId))]
    [JsonSerializable(typeof(Texts))]
    [JsonSerializable(typeof(Vectors))]
    [JsonSerializable(typeof(Query))]
    [JsonSerializable(typeof(Hits))]
    [JsonSerializable(typeof(Pair[]))]
    [JsonSerializable(typeof(Status))]
    internal sealed partial class ServiceJson : JsonSerializerContext { }
}
