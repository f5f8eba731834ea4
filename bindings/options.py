#!/usr/bin/env python3
"""Writes the typed options of a training run and of an adaptation, for four languages.

    bindings/options.py [FOLDER]          writes the files below this folder (default: the tree)
    bindings/options.py --files           lists them
    bindings/options.py --check LIBRARY   compares what was read with cs_config_describe

Types, help, ranges and choices are read from the lines of core/ that declare the keys, so that no
build is needed. TRAIN and ADAPT choose the keys. A method's own keys are listed with the prefix
"METHOD."; the options put the name of the chosen method there.
"""

import ast
import ctypes
import dataclasses
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ROOT / "core"
WIDTH = 100

RUN = "torch/run/train_keys.cpp"
OPTIMIZER = "torch/optim/optimizer_options.cpp"
ENCODER = "torch/methods/tuned_encoder.cpp"
RANKING = "torch/methods/multiple_negatives/multiple_negatives_options.cpp"
LORA = "torch/methods/lora_options.cpp"
ADAPTATION = "adapt/adapt_options.cpp"
METHODS = "torch/methods/registry.cpp"

TRAIN = [
    ("method", RUN),
    ("seed", RUN),
    ("batch_size", RUN),
    ("accumulate", RUN),
    ("epochs", RUN),
    ("max_steps", RUN),
    ("lr", RUN),
    ("schedule", RUN),
    ("warmup_steps", RUN),
    ("warmup_ratio", RUN),
    ("optimizer", OPTIMIZER),
    ("weight_decay", OPTIMIZER),
    ("clip_norm", RUN),
    ("amp", RUN),
    ("gradient_checkpointing", RUN),
    ("threads", RUN),
    ("data_threads", RUN),
    ("METHOD.max_length", ENCODER),
    ("METHOD.temperature", "torch/objectives/nt_xent.cpp"),
    ("METHOD.scale", RANKING),
    ("METHOD.lora_rank", LORA),
    ("matryoshka.dims", "torch/methods/matryoshka.cpp"),
    ("dev", RUN),
    ("eval_every", RUN),
    ("evaluate_every", RUN),
    ("patience", RUN),
    ("checkpoints", RUN),
    ("save_every", RUN),
    ("keep", RUN),
    ("metrics_file", RUN),
]
ADAPT = [
    ("method", RUN),
    ("seed", ADAPTATION),
    ("dev", ADAPTATION),
    ("test_share", ADAPTATION),
    ("dev_share", ADAPTATION),
    ("metric", ADAPTATION),
    ("min_gain", ADAPTATION),
    ("require_significant", ADAPTATION),
    ("mine", ADAPTATION),
    ("mining.num_negatives", "mining/mining_options.cpp"),
    ("query_prompt", ADAPTATION),
    ("document_prompt", ADAPTATION),
    ("batch_size", RUN),
    ("accumulate", RUN),
    ("epochs", RUN),
    ("max_steps", RUN),
    ("lr", RUN),
    ("warmup_ratio", RUN),
    ("amp", RUN),
    ("gradient_checkpointing", RUN),
    ("threads", RUN),
    ("METHOD.max_length", ENCODER),
    ("METHOD.scale", RANKING),
    ("METHOD.lora_rank", LORA),
    ("eval_every", RUN),
    ("patience", RUN),
    ("save_every", ADAPTATION),
    ("report", ADAPTATION),
]
# Keys that an adaptation describes in its own words, with numbers that are computed.
ADAPTED_HELP = {
    "epochs": "passes over the training pairs; if neither this nor max_steps is set, 3 to 20, for "
    "about 200 updates",
    "eval_every": "updates between dev evaluations; if no key sets this, the run has 10 "
    "evaluations",
}
NAMES = {
    "lr": "learning_rate",
    "amp": "mixed_precision",
    "matryoshka.dims": "matryoshka_dims",
    "mining.num_negatives": "num_negatives",
}
ENUMS = {
    "method": "TrainingMethod",
    "schedule": "LearningRateSchedule",
    "optimizer": "TrainingOptimizer",
    "amp": "MixedPrecision",
    "metric": "SearchMetric",
}
PATHS = {"dev", "checkpoints", "metrics_file", "report"}
DEFAULT_METHOD = "mnrl"
RERANKER = "reranker"  # an adaptation cannot use it

TITLES = {
    "TrainOptions": "Typed options of a training run",
    "AdaptOptions": "Typed options of an adaptation",
}
GENERATED = "Written by bindings/options.py from the keys of core: do not edit."


@dataclasses.dataclass
class Key:
    key: str  # with "METHOD." for a key of every method
    kind: str  # real, integer, boolean, string, choice, list
    help: str
    range: str | None
    values: list | None
    zero: bool  # whether 0 or false is a value that can differ from the default

    @property
    def name(self):
        return NAMES.get(self.key, self.key.removeprefix("METHOD."))

    @property
    def enum(self):
        return ENUMS[self.key] if self.kind == "choice" else None

    @property
    def wide(self):
        return self.key == "seed"

    def doc(self):
        text = self.help if self.help.endswith(".") else self.help + "."
        if self.values and text.split()[0] in self.values:
            text = f"{self.name.capitalize()}: {text}"
        limits = f", {self.range}" if self.range else ""
        return f"{text[0].upper()}{text[1:]} Key {self.key}{limits}."


# ---- What the sources declare


def fail(where, message):
    sys.exit(f"bindings/options.py: {where}: {message}")


def read(path):
    return (CORE / path).read_text()


def arguments(text, place):
    """The arguments of the call whose parenthesis opens at `place`, separated by commas."""
    depth, start, found = 0, place + 1, []
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[(){}\[\],]', text[place:]):
        sign, at = match[0], place + match.start()
        if sign in "({[":
            depth += 1
        elif sign in ")}]":
            depth -= 1
            if depth == 0:
                return [*found, text[start:at].strip()]
        elif sign == "," and depth == 1:
            found.append(text[start:at].strip())
            start = at + 1
    return None


def literals(text):
    return [ast.literal_eval(each) for each in re.findall(r'"(?:[^"\\]|\\.)*"', text)]


def method_names():
    names = {}
    for path in sorted((CORE / "torch/methods").glob("*/*.cpp")):
        for match in re.finditer(
            r'MethodEntry (\w+)_method\(\) \{\s*return \{\s*"(\w+)"', path.read_text()
        ):
            names[match[1]] = match[2]
    return [names[each] for each in re.findall(r"^  METHOD\((\w+)\)", read(METHODS), re.M)]


def optimizer_names():
    names = {}
    for path in sorted((CORE / "torch/optim").glob("*.cpp")):
        for match in re.finditer(
            r'OptimizerEntry (\w+)_optimizer\(\) \{\s*return \{"([\w-]+)",(.*?)\};',
            path.read_text(),
            re.S,
        ):
            if not match[3].rstrip().endswith("false"):  # it is not for runs
                names[match[1]] = match[2]
    listed = re.findall(r"OPTIMIZER\((\w+)\)", read("torch/optim/optimizer_list.cpp"))
    return [names[each] for each in listed if each in names]


def metric_names():
    return literals(re.search(r"kSearchMetrics = \{(.*?)\}", read("adapt/search_test.h"), re.S)[1])


def choices(key, text):
    """The values of a choice: written in place, or a list that is named."""
    if text.startswith("{"):
        return literals(text)
    named = {"methods": method_names, "names": optimizer_names, "kMetricNames": metric_names}
    if text not in named:
        fail(key, f"the values '{text}' are not known")
    return named[text]()


def number(key, text):
    """A bound: a number, a shift, or a constant of core/runtime/threads.h."""
    if match := re.fullmatch(r"runtime::(k\w+)", text):
        found = re.search(rf"{match[1]} = (\d+);", read("runtime/threads.h"))
        text = found[1] if found else text
    if match := re.fullmatch(r"(\d+) << (\d+)", text):
        return int(match[1]) << int(match[2])
    try:
        return float(text)
    except ValueError:
        fail(key, f"the bound '{text}' is not a number")


def bounds(key, text):
    """Range::text of core/base/options.cpp, and whether 0 is in the range."""
    match = re.fullmatch(r"(at_least|above|between)\(([^()]*)\)", text)
    if not match:
        fail(key, f"the range '{text}' is not known")
    numbers = [number(key, each.strip()) for each in match[2].split(",")]
    low, high = numbers[0], numbers[1] if len(numbers) > 1 else float("inf")
    shown = [f"{each:g}" if each != int(each) else str(int(each)) for each in numbers]
    is_open = match[1] == "above"
    if high >= 1e9:
        return f"{'above' if is_open else 'at least'} {shown[0]}", low <= 0 and not is_open
    return f"{'above' if is_open else 'from'} {shown[0]} to {shown[1]}", low <= 0 and not is_open


def declared(key, path):
    """The key as its visit() declares it."""
    own = key.rsplit(".", 1)[-1]
    text = read(path)
    calls = [
        (match[1], arguments(text, match.start(2)))
        for match in re.finditer(rf'\bv\.(\w+)(\()\s*"{re.escape(own)}",', text)
    ]
    if len(calls) != 1:
        fail(path, f"declares '{own}' {len(calls)} times instead of once")
    kind, given = calls[0]
    kinds = {
        "real": "real",
        "integer": "integer",
        "flag": "boolean",
        "text": "string",
        "name": "choice",
        "choice": "choice",
        "integers": "list",
    }
    if kind not in kinds:
        fail(path, f"'{own}' is of an unknown kind, {kind}")
    last = given[-1]
    words = arguments(last, last.index("("))[0] if last.startswith("OptionDoc") else last
    help = "".join(literals(words))
    span, zero = bounds(key, given[2]) if kind in ("real", "integer", "integers") else (None, False)
    values = choices(key, given[2]) if kinds[kind] == "choice" else None
    return Key(key, kinds[kind], help, span, values, zero or kind == "flag")


def keys(rows, topic):
    found = [declared(key, path) for key, path in rows]
    if topic == "adapt":
        for key in found:
            key.help = ADAPTED_HELP.get(key.key, key.help)
    return found


# ---- Names and comments


def words(name):
    """The words of a key or value; '@' reads "at"."""
    return [part for part in re.split(r"[_.\-]|(?=@)", name) if part]


def pascal(name):
    return "".join(
        "At" + part[1:].capitalize() if part[0] == "@" else part[0].upper() + part[1:]
        for part in words(name)
    )


def camel(name):
    pascals = pascal(name)
    return pascals[0].lower() + pascals[1:]


def upper(name):
    return "_".join(words(name)).replace("@", "AT_").upper()


def snake(name):
    return "_".join(words(name)).replace("@", "at_")


def comment(text, indent, prefix="// ", width=WIDTH):
    return [
        indent + prefix + line
        for line in textwrap.wrap(
            text, width - len(indent) - len(prefix), break_long_words=False, break_on_hyphens=False
        )
    ]


def javadoc(text, indent):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    one = f"{indent}/** {text} */"
    if len(one) <= WIDTH:
        return [one]
    return [f"{indent}/**", *comment(text, indent, " * "), f"{indent} */"]


def summary(text, indent):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return comment(f"<summary>{text}</summary>", indent, "/// ")


def enums(topic):
    """(name, key) of each enumeration that this topic is the first to use."""
    return [
        (each.enum, each)
        for each in TOPICS[topic]
        if each.enum and (topic == "TrainOptions" or each.key == "metric")
    ]


ENUM_DOCS = {
    "TrainingMethod": "A training method.",
    "LearningRateSchedule": "How the learning rate changes during a run.",
    "TrainingOptimizer": "An optimizer.",
    "MixedPrecision": "The type in which the encoder multiplies during training.",
    "SearchMetric": "A metric of search results.",
}
OF_CONFIG = {
    "TrainOptions": 'Config.describe("train") lists every key of a run.',
    "AdaptOptions": 'Config.describe("adapt") lists every key of an adaptation.',
}
METHOD_NOTE = 'Keys "METHOD.name" belong to the chosen method; not every method has each of them.'
UNSET = "An option that is not set has the default of the library or of the method."


def method_of(topic):
    note = f"The training method; default {DEFAULT_METHOD}. Key method."
    if topic == "AdaptOptions":
        note = note.replace("; default", f" ({RERANKER} is not one of them); default")
    return note


# ---- Java


def java(topic):
    rows = [each for each in TOPICS[topic] if each.key != "method"]
    method = "Method" if topic == "TrainOptions" else "TrainOptions.Method"
    kinds = {"real": "double", "boolean": "boolean", "list": "int..."}

    def nested(name):
        return {"TrainingMethod": "Method", "LearningRateSchedule": "Schedule"}.get(
            name, name.replace("TrainingOptimizer", "Optimizer")
        )

    def kind(key):
        if key.enum:
            own = topic == "TrainOptions" or key.key == "metric"
            return nested(key.enum) if own else f"TrainOptions.{nested(key.enum)}"
        if key.kind == "integer":
            return "long" if key.wide else "int"
        return kinds.get(key.kind) or ("Path" if key.key in PATHS else "String")

    text = [
        f"// {GENERATED}",
        "package io.contrastive;",
        "",
        "import java.nio.file.Path;",
        "import java.util.LinkedHashMap;",
        "import java.util.Map;",
        "",
        *javadoc(
            f"{TITLES[topic]}. Each {{@code with}} method returns a changed copy. {UNSET} {{@link "
            f"#toConfig}} makes a config, to which you can add any other key. {METHOD_NOTE}",
            "",
        ),
        f"public final class {topic} {{",
        f"  private static final {topic} DEFAULTS =",
        f"      new {topic}({method}.{upper(DEFAULT_METHOD)}, new LinkedHashMap<>());",
        "",
        f"  private final {method} method;",
        "  private final Map<String, Object> entries; // by key",
        "",
        f"  private {topic}({method} method, Map<String, Object> entries) {{",
        "    this.method = method;",
        "    this.entries = entries;",
        "  }",
    ]
    for name, key in enums(topic):
        text += ["", *javadoc(ENUM_DOCS[name], "  "), f"  public enum {nested(name)} {{"]
        for i, value in enumerate(key.values):
            end = "," if i + 1 < len(key.values) else ";"
            text += [
                *javadoc(f'The value "{value}".', "    "),
                f'    {upper(value)}("{value}"){end}',
            ]
        text += [
            "",
            "    private final String key;",
            "",
            f"    {nested(name)}(String key) {{",
            "      this.key = key;",
            "    }",
            "",
            "    @Override",
            "    public String toString() {",
            "      return key;",
            "    }",
            "  }",
        ]
    text += [
        "",
        *javadoc(f"Options that are not set, with the method {DEFAULT_METHOD}.", "  "),
        f"  public static {topic} defaults() {{",
        "    return DEFAULTS;",
        "  }",
        "",
        *javadoc(method_of(topic), "  "),
        f"  public {topic} withMethod({method} method) {{",
        f'    return new {topic}(ContrastiveException.required(method, "method"), entries);',
        "  }",
    ]
    for key in rows:
        name, type = camel(key.name), kind(key)
        if key.enum:
            value = f'ContrastiveException.required({name}, "{name}").toString()'
        elif type[0].isupper():
            value = f'ContrastiveException.required({name}, "{name}")'
        elif key.kind == "list":
            value = f"{name}.clone()"
        else:
            value = name
        line = f'    return with("{key.key}", {value});'
        lines = [line]
        if len(line) > WIDTH:
            lines = ["    return with(", f'        "{key.key}", {value});']
        text += [
            "",
            *javadoc(key.doc(), "  "),
            f"  public {topic} with{pascal(key.name)}({type} {name}) {{",
            *lines,
            "  }",
        ]
    text += [
        "",
        f"  private {topic} with(String key, Object value) {{",
        "    Map<String, Object> copy = new LinkedHashMap<>(entries);",
        "    copy.put(key, value);",
        f"    return new {topic}(method, copy);",
        "  }",
        "",
        *javadoc(
            "The options as a config. {@link Config#with(String, Object)} adds any other key: "
            + OF_CONFIG[topic]
            .replace("Config.describe(", "{@code Config.describe(", 1)
            .replace(") ", ")} ", 1),
            "  ",
        ),
        "  public Config toConfig() {",
        "    Map<String, Object> keys = new LinkedHashMap<>();",
        '    keys.put("method", method.toString());',
        "    entries.forEach(",
        '        (key, value) -> keys.put(key.replaceFirst("^METHOD\\\\.", method + "."), value));',
        "    return Config.of(keys);",
        "  }",
        "",
        "  @Override",
        "  public String toString() {",
        "    return toConfig().toJson();",
        "  }",
        "}",
        "",
    ]
    if not any(kind(key) == "Path" for key in rows):
        text.remove("import java.nio.file.Path;")
    return "\n".join(text)


# ---- C#


def csharp(topic):
    rows = [each for each in TOPICS[topic] if each.key != "method"]
    kinds = {
        "real": "double?",
        "boolean": "bool?",
        "string": "string?",
        "list": "IReadOnlyList<int>?",
    }

    def kind(key):
        if key.enum:
            return key.enum + "?"
        if key.kind == "integer":
            return "long?" if key.wide else "int?"
        return kinds[key.kind]

    lists = any(key.kind == "list" for key in rows)
    text = [
        f"// {GENERATED}",
        "#nullable enable",
        "using System;",
        *(["using System.Collections.Generic;"] if lists else []),
        "",
        "namespace Contrastive",
        "{",
    ]
    for name, key in enums(topic):
        text += [
            *summary(ENUM_DOCS[name], "    "),
            f"    public enum {name}",
            "    {",
        ]
        for value in key.values:
            text += [
                *summary(f'The value "{value}".', "        "),
                f"        {pascal(value)},",
            ]
        text += ["    }", ""]
    text += [
        *summary(
            f"{TITLES[topic]}. {UNSET} ToConfig makes a config, to which you can add any other "
            f"key. {METHOD_NOTE}",
            "    ",
        ),
        f"    public sealed class {topic}",
        "    {",
        *summary(method_of(topic), "        "),
        f"        public TrainingMethod Method {{ get; set; }} = "
        f"TrainingMethod.{pascal(DEFAULT_METHOD)};",
    ]
    for key in rows:
        text += [
            *summary(key.doc(), "        "),
            f"        public {kind(key)} {pascal(key.name)} {{ get; set; }}",
        ]
    text += [
        "",
        *summary(
            "The options as a config. With adds any other key: "
            + OF_CONFIG[topic].replace("Config.describe", "Config.Describe"),
            "        ",
        ),
        '        /// <exception cref="ArgumentException">A number is NaN or infinite, or an',
        "        /// enumeration has a value without a name.</exception>",
        "        public Config ToConfig()",
        "        {",
        "            string method = OptionNames.Of(Method);",
        '            Config config = Config.Empty.With("method", method);',
    ]
    for key in rows:
        name = pascal(key.name)
        quoted = f'"{key.key}"'
        if key.key.startswith("METHOD."):
            quoted = f'method + ".{key.key.removeprefix("METHOD.")}"'
        if key.kind in ("string", "list"):
            condition, value = f"{name} != null", name
        else:
            condition, value = f"{name}.HasValue", f"{name}.Value"
        if key.enum:
            value = f"OptionNames.Of({value})"
        line = f"            if ({condition}) config = config.With({quoted}, {value});"
        lines = [line]
        if len(line) > WIDTH:
            lines = [
                f"            if ({condition})",
                f"                config = config.With({quoted}, {value});",
            ]
        text += lines
    text += [
        "            return config;",
        "        }",
        "",
        *summary("The options as a config.", "        "),
        f"        public static implicit operator Config({topic} options) =>",
        "            (options ?? throw new ArgumentNullException(nameof(options))).ToConfig();",
        "    }",
    ]
    if topic == "TrainOptions":
        text += [
            "",
            "    // The names of enumerations in a config.",
            "    internal static class OptionNames",
            "    {",
        ]
        for i, (name, key) in enumerate([each for topic in TOPICS for each in enums(topic)]):
            text += [
                *([""] if i else []),
                f"        internal static string Of({name} value)",
                "        {",
                "            switch (value)",
                "            {",
                *(
                    f'                case {name}.{pascal(value)}: return "{value}";'
                    for value in key.values
                ),
                "                default: throw new ArgumentException(",
                f'                    "there is no {name} " + (int)value, nameof(value));',
                "            }",
                "        }",
            ]
        text += ["    }"]
    return "\n".join([*text, "}", ""])


# ---- Go


def go(_):
    prefixes = {
        "TrainingMethod": "Method",
        "LearningRateSchedule": "Schedule",
        "TrainingOptimizer": "Optimizer",
        "MixedPrecision": "MixedPrecision",
        "SearchMetric": "SearchMetric",
    }
    kinds = {"real": "float64", "boolean": "bool", "string": "string", "list": "[]int"}
    text = [
        f"// {GENERATED}",
        "",
        "package contrastive",
        "",
        "import (",
        '\t"encoding/json"',
        '\t"strings"',
        ")",
        "",
        "// Ptr returns a pointer to a value, for an option of TrainOptions or AdaptOptions whose "
        "zero value",
        "// means something, as in TrainOptions{Seed: contrastive.Ptr(7)}.",
        "func Ptr[T any](value T) *T { return &value }",
    ]
    for topic in TOPICS:
        for name, key in enums(topic):
            constants = [(prefixes[name] + pascal(value), value) for value in key.values]
            width = max(len(constant) for constant, _ in constants)
            text += [
                "",
                *comment(f"{name} is " + ENUM_DOCS[name][0].lower() + ENUM_DOCS[name][1:], ""),
                f"type {name} string",
                "",
                f"// Values of {name}.",
                "const (",
                *(f'\t{constant:{width}} {name} = "{value}"' for constant, value in constants),
                ")",
            ]
    for topic, rows in TOPICS.items():
        text += [
            "",
            *comment(
                f"{topic} are {TITLES[topic][0].lower()}{TITLES[topic][1:]}. A nil pointer, an "
                'empty list, "" and a number 0 that is not behind a pointer leave the default of '
                f"the library or of the method. {METHOD_NOTE}",
                "",
            ),
            f"type {topic} struct {{",
        ]
        for i, key in enumerate(rows):
            kind = key.enum or kinds.get(key.kind) or "int"
            doc = method_of(topic) if key.key == "method" else key.doc()
            text += [
                *([""] if i else []),
                *comment(doc, "\t", "// ", WIDTH - 3),
                f"\t{pascal(key.name)} {'*' if key.zero else ''}{kind}",
            ]
        text += [
            "}",
            "",
            *comment(
                "Option sets these options. Options after it add other keys: "
                + OF_CONFIG[topic].replace("Config.describe", "Describe"),
                "",
            ),
            f"func (o {topic}) Option() Option {{",
            "\tentries := optionEntries{}",
        ]
        for key in rows:
            if key.key == "method":
                continue
            helper = (
                "unlessNil" if key.zero else "unlessEmpty" if key.kind == "list" else "unlessZero"
            )
            text += [f'\t{helper}(entries, "{key.key}", o.{pascal(key.name)})']
        text += [
            "\treturn entries.option(o.Method)",
            "}",
            "",
            "// Config makes a config of the options and of others that are added to it.",
            f"func (o {topic}) Config(more ...Option) (*Config, error) {{",
            "\treturn NewConfig(append([]Option{o.Option()}, more...)...)",
            "}",
        ]
    text += [
        "",
        "type optionEntries map[string]any",
        "",
        "func unlessZero[T comparable](entries optionEntries, key string, value T) {",
        "\tvar unset T",
        "\tif value != unset {",
        "\t\tentries[key] = value",
        "\t}",
        "}",
        "",
        "func unlessNil[T any](entries optionEntries, key string, value *T) {",
        "\tif value != nil {",
        "\t\tentries[key] = *value",
        "\t}",
        "}",
        "",
        "func unlessEmpty[T any](entries optionEntries, key string, values []T) {",
        "\tif len(values) > 0 {",
        "\t\tentries[key] = append([]T(nil), values...)",
        "\t}",
        "}",
        "",
        "// option sets the entries, with the name of the method in front of its own keys.",
        "func (entries optionEntries) option(method TrainingMethod) Option {",
        '\tif method == "" {',
        f"\t\tmethod = Method{pascal(DEFAULT_METHOD)}",
        "\t}",
        '\tkeys := map[string]any{"method": method}',
        "\tfor key, value := range entries {",
        '\t\tif own, found := strings.CutPrefix(key, "METHOD."); found {',
        '\t\t\tkey = string(method) + "." + own',
        "\t\t}",
        "\t\tkeys[key] = value",
        "\t}",
        "\treturn func(c *Config) error {",
        "\t\tobject, err := json.Marshal(keys)",
        "\t\tif err != nil {",
        '\t\t\treturn argument("the options: " + err.Error())',
        "\t\t}",
        "\t\treturn JSON(string(object))(c)",
        "\t}",
        "}",
        "",
    ]
    return "\n".join(text)


# ---- Rust


def rust(_):
    kinds = {"real": "f64", "boolean": "bool", "string": "impl Into<String>", "integer": "u64"}
    text = [
        f"// {GENERATED}",
        "//! Typed options of training runs and adaptations.",
        "use serde_json::{Map, Value};",
        "",
        "use crate::config::Config;",
        "use crate::error::Result;",
    ]
    for topic in TOPICS:
        for name, key in enums(topic):
            traits = "Default, " if key.key == "method" else ""
            text += [
                "",
                f"/// {ENUM_DOCS[name]}",
                f"#[derive(Clone, Copy, Debug, {traits}PartialEq, Eq, Hash)]",
                "#[non_exhaustive]",
                f"pub enum {name} {{",
            ]
            for value in key.values:
                text += [
                    f'    /// The value "{value}".',
                    *(["    #[default]"] if value == DEFAULT_METHOD else []),
                    f"    {pascal(value)},",
                ]
            text += [
                "}",
                "",
                f"impl {name} {{",
                "    /// Its name in a config.",
                "    pub fn name(self) -> &'static str {",
                "        match self {",
                *(f'            Self::{pascal(value)} => "{value}",' for value in key.values),
                "        }",
                "    }",
                "}",
            ]
    for topic, rows in TOPICS.items():
        value = "AdaptOptions::default()" if topic == "AdaptOptions" else "TrainOptions::default()"
        text += [
            "",
            *comment(
                f"{TITLES[topic]}. {UNSET} [`to_config`](Self::to_config) makes a config, to which "
                f"you can add any other key. {METHOD_NOTE}",
                "",
                "/// ",
            ),
            "///",
            "/// ```",
            "/// # fn main() -> contrastive::Result<()> {",
            f"/// use contrastive::{topic};",
            f"/// let options = {value}.learning_rate(2e-5).epochs(1).max_length(64);",
            "/// let mut config = options.to_config()?;",
            '/// config.set("eps", 1e-6)?; // any other key',
            '/// assert_eq!(config.to_value()?["mnrl.max_length"], 64);',
            "/// # Ok(()) }",
            "/// ```",
            "#[derive(Clone, Debug, Default, PartialEq)]",
            f"pub struct {topic} {{",
            "    method: TrainingMethod,",
            "    entries: Map<String, Value>,",
            "}",
            "",
            f"impl {topic} {{",
            f"    /// Options that are not set, with the method {DEFAULT_METHOD}.",
            "    pub fn new() -> Self {",
            "        Self::default()",
            "    }",
        ]
        for key in rows:
            name = snake(key.name)
            if key.key == "method":
                text += [
                    "",
                    *comment(method_of(topic), "    ", "/// "),
                    "    pub fn method(mut self, method: TrainingMethod) -> Self {",
                    "        self.method = method;",
                    "        self",
                    "    }",
                ]
                continue
            kind = key.enum or kinds.get(key.kind) or "impl IntoIterator<Item = u64>"
            value = name
            if key.enum:
                value = f"{name}.name()"
            elif key.kind == "string":
                value = f"{name}.into()"
            elif key.kind == "list":
                value = f"{name}.into_iter().collect::<Vec<u64>>()"
            text += [
                "",
                *comment(key.doc(), "    ", "/// "),
                f"    pub fn {name}(self, {name}: {kind}) -> Self {{",
            ]
            if key.kind == "string":
                text += [f"        let {name}: String = {value};"]
                value = name
            text += [f'        self.with("{key.key}", {value})', "    }"]
        text += [
            "",
            "    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {",
            "        self.entries.insert(key.to_string(), value.into());",
            "        self",
            "    }",
            "",
            *comment(
                "The options as a config. [`Config::set`] adds any other key: "
                + OF_CONFIG[topic]
                .replace("Config.describe", "[`describe")
                .replace(") ", ")`](crate::describe()) "),
                "    ",
                "/// ",
            ),
            "    pub fn to_config(&self) -> Result<Config> {",
            "        config_of(self.method, &self.entries)",
            "    }",
            "}",
        ]
    text += [
        "",
        "fn config_of(method: TrainingMethod, entries: &Map<String, Value>) -> Result<Config> {",
        "    let mut config = Config::new()?;",
        '    config.set("method", method.name())?;',
        "    for (key, value) in entries {",
        '        match key.strip_prefix("METHOD.") {',
        '            Some(own) => config.set(&format!("{}.{own}", method.name()), value)?,',
        "            None => config.set(key, value)?,",
        "        };",
        "    }",
        "    Ok(config)",
        "}",
        "",
    ]
    return "\n".join(text)


# ---- The files


JAVA = "bindings/java/contrastive/src/main/java/io/contrastive"
FILES = {
    f"{JAVA}/TrainOptions.java": (java, "TrainOptions"),
    f"{JAVA}/AdaptOptions.java": (java, "AdaptOptions"),
    "bindings/csharp/Contrastive/TrainOptions.cs": (csharp, "TrainOptions"),
    "bindings/csharp/Contrastive/AdaptOptions.cs": (csharp, "AdaptOptions"),
    "bindings/go/options.go": (go, None),
    "bindings/rust/contrastive/src/options.rs": (rust, None),
}
TOPICS = {"TrainOptions": keys(TRAIN, "train"), "AdaptOptions": keys(ADAPT, "adapt")}


def check(library):
    """Compares the keys with the description of a built library."""
    library = ctypes.CDLL(library)
    library.cs_config_describe.restype = ctypes.c_void_p
    library.cs_config_describe.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    differences = []
    for topic, rows in (("train", TOPICS["TrainOptions"]), ("adapt", TOPICS["AdaptOptions"])):
        text = library.cs_config_describe(topic.encode(), None)
        if not text:
            fail("cs_config_describe", f"the library does not describe '{topic}'")
        described = {row["key"]: row for row in json.loads(ctypes.string_at(text))}
        for key in rows:
            name = key.key.replace("METHOD", "clsr" if "temperature" in key.key else DEFAULT_METHOD)
            row = described.get(name)
            if row is None:
                differences.append(f"{topic} has no key '{name}'")
                continue
            values = key.values
            if values and topic == "adapt":
                values = [value for value in values if value != RERANKER]
            for what, own in (
                ("type", key.kind),
                ("help", key.help),
                ("range", key.range),
                ("values", values),
            ):
                if row.get(what) != own:
                    differences.append(f"{topic}, '{name}', {what}: {own!r}, not {row.get(what)!r}")
    if differences:
        sys.exit("\n".join(["bindings/options.py reads core wrongly:", *differences]))
    print(f"{sum(map(len, TOPICS.values()))} options are as the library describes them")


def main():
    if sys.argv[1:] == ["--files"]:
        print("\n".join(FILES))
    elif len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    elif len(sys.argv) <= 2:
        folder = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT
        for path, (write, topic) in FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(write(topic))
    else:
        sys.exit(__doc__)


main()
