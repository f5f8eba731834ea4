#!/usr/bin/env python3
"""readme.py README FOLDER: writes the blocks of the package's README as files of a project.

The first C# block becomes Program.cs, and the JSON block appsettings.json. Each further C# block
becomes a method of Blocks.cs, so that it is compiled.
"""

import pathlib
import re
import sys

HEAD = """using Contrastive;
using Contrastive.Extensions.AI;
using Microsoft.Extensions.AI;

internal static class Blocks
{
"""
METHOD = """    internal static async Task Block%d(WebApplicationBuilder builder,
        IServiceProvider provider, IEmbeddingGenerator<string, Embedding<float>> generator,
        Trainer trainer, string[] documents%s)
    {
        await Task.Yield();
%s    }
"""
MODELS = ", SwappableEncoder models"


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    blocks = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", text)
    sharp = [code for language, code in blocks if language == "csharp"]
    settings = [code for language, code in blocks if language == "json"]
    if len(sharp) < 4 or len(settings) != 1:
        sys.exit(
            "readme.py: %s has %d C# and %d JSON blocks" % (sys.argv[1], len(sharp), len(settings))
        )
    (folder / "Program.cs").write_text(sharp[0], encoding="utf-8")
    (folder / "appsettings.json").write_text(settings[0], encoding="utf-8")
    methods = [
        METHOD % (i, "" if "var models" in code else MODELS, code)
        for i, code in enumerate(sharp[1:], start=1)
    ]
    (folder / "Blocks.cs").write_text(HEAD + "\n".join(methods) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
