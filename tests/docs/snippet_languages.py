"""How a snippet of each language becomes a program, is compiled against what the build made, and
run. A whole program is taken as it is; of a fragment the names that it does not define itself (a
list of texts, a reader) come from here."""

import os
import pathlib
import re
import subprocess

# A house that calls its products by code names: what no pretrained model knows, and one that is
# adapted learns.
PRODUCTS = (
    "printer invoice password delivery refund camera battery keyboard warranty router screen "
    "contract backup licence headset scanner "
    "mouse cable charger speaker tablet monitor account voucher"
).split()
NAMES = (
    "Heron Falcon Wren Stork Magpie Osprey Plover Siskin Bittern Linnet Dunlin Curlew Avocet "
    "Pipit Whimbrel Gadwall "
    "Teal Pochard Smew Grebe Petrel Gannet Shag Crake"
).split()
QUESTIONS = (
    "My {} does not work any more",
    "How do I change the {}?",
    "The {} that I got is wrong",
    "Where can I see the state of my {}?",
    "Who repairs a {}?",
)
ANSWERS = (
    "Switch {} off and on again; if that does not help, we exchange it.",
    "Open the settings, choose {}, and press edit.",
    "We are sorry; send us a photograph of {} and we correct it.",
    "The page of your account shows {} and when it was updated.",
    "Any shop with our sign takes {} in.",
)
CLICKS = "".join(
    f"{question.format(product)}\t{answer.format(name)}\n"
    for question, answer in zip(QUESTIONS, ANSWERS)
    for product, name in zip(PRODUCTS, NAMES)
)
PAIRS = "".join(f"how do I reset part {i}\thold button {i} for ten seconds\n" for i in range(40))


class Missing(Exception):
    """What a language needs is not there: the snippet is skipped, and this says why."""


def run(command, folder, **environment):
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        raise AssertionError(
            f"{' '.join(map(str, command))[:200]}: exit code {done.returncode}\n"
            f"{(done.stdout + done.stderr)[-3000:]}"
        )
    return done.stdout


def need(path, what):
    if not pathlib.Path(path).exists():
        raise Missing(f"{path} is not there ({what})")
    return path


def indented(code, spaces):
    return "".join(" " * spaces + line + "\n" if line else "\n" for line in code.splitlines())


class Languages:
    def __init__(self, root, build, cache, scratch):
        self.root, self.build, self.cache, self.scratch = (
            root,
            build,
            cache,
            scratch,
        )  # scratch holds the model, pairs.tsv, ...
        self.count = 0

    def folder(self, name):
        self.count += 1
        folder = self.scratch / f"{name}-{self.count}"
        folder.mkdir()
        for item in list(self.scratch.iterdir()):
            if item.is_symlink() or item.is_file():
                (folder / item.name).symlink_to(item.resolve())
        return folder

    def c(self, code):
        folder = self.folder("c")
        (folder / "main.c").write_text(code + "\n")
        run(
            [
                "cc",
                "-std=c99",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-I",
                self.root / "capi/include",
                "main.c",
                "-o",
                "main",
                "-L",
                self.build,
                "-l:libcontrastive.so.0",
                f"-Wl,-rpath,{self.build}",
            ],
            folder,
        )
        return run(["./main"], folder)

    def java(self, code):
        jars = self.root / "build/java/contrastive"
        need(jars / "contrastive-0.1.0.jar", "bindings/java/test.sh makes it")
        folder = self.folder("java")
        if not re.search(r"\bclass \w+", code):
            code = (
                "import io.contrastive.*;\nimport java.nio.file.Path;\n"
                "import java.util.List;\n\nclass Snippet {\n"
                f"  public static void main(String[] arguments) throws Exception {{\n"
                f"{indented(code, 4)}  }}\n}}\n"
            )
        name = re.search(r"\bclass (\w+)", code)[1]
        (folder / f"{name}.java").write_text(code)
        jar = str(jars / "contrastive-0.1.0.jar")
        adapter = re.search(r"import io\.contrastive\.(\w+)\.", code)
        if adapter:  # with what the adapter depends on
            module = {"springai": "spring-ai"}.get(adapter[1], adapter[1])
            made = self.root / f"build/java/contrastive-{module}"
            jar = f"{made / 'classes'}:{(made / 'classpath').read_text()}"
        run(["javac", "-cp", jar, f"{name}.java"], folder)
        path = ":".join(
            [jar, *map(str, sorted(jars.glob("contrastive-0.1.0-linux-x86_64*.jar"))), "."]
        )
        return run(["java", "-cp", path, name], folder)

    def csharp(self, code):
        assembly = need(
            self.root / "build/csharp/bin/Contrastive.Tests/net8.0/Contrastive.dll",
            "bindings/csharp/test.sh makes it",
        )
        dotnet = self.root / "packaging/toolchains/dotnet.sh"
        found = subprocess.run([dotnet, "--env"], capture_output=True, text=True)
        if found.returncode != 0:
            raise Missing(found.stderr.strip())
        folder = self.folder("csharp")
        if not re.search(r"\bstatic \w+ Main\(", code):
            uses = "".join(
                line + "\n"
                for line in code.splitlines()
                if line.startswith("using ") and line.endswith(";") and "=" not in line
            )
            code = (
                code[:]
                if not uses
                else "\n".join(line for line in code.splitlines() if line + "\n" not in uses)
            )
            given = (
                'var pairs = File.ReadLines("pairs.tsv").Select(line => (line.Split(\'\\t\')[0], '
                'line.Split(\'\\t\')[1]));\n'
                if "in pairs)" in code
                else ""
            )
            main = "static async Task Main()" if "await " in code else "static void Main()"
            code = (
                "using System;\nusing System.IO;\nusing System.Linq;\n"
                "using System.Threading.Tasks;\nusing Contrastive;\n\n"
                f"class Snippet\n{{\n    {main}\n    {{\n"
                f"{indented(given + code, 8)}    }}\n}}\n"
            )
        (folder / "Snippet.cs").write_text(code)
        (folder / "Snippet.csproj").write_text(
            '<Project Sdk="Microsoft.NET.Sdk">\n  <PropertyGroup>\n'
            "    <OutputType>Exe</OutputType>\n    <TargetFramework>net8.0</TargetFramework>\n"
            "    <RollForward>Major</RollForward>\n    <UseAppHost>false</UseAppHost>\n"
            "    <InvariantGlobalization>true</InvariantGlobalization>\n"
            "    <EnableDefaultCompileItems>false</EnableDefaultCompileItems>\n"
            f'  </PropertyGroup>\n  <ItemGroup>\n    <Compile Include="Snippet.cs" />\n'
            f'    <Reference Include="{assembly}" />\n'
            f'    <None Include="{assembly.parent}/*.so*" CopyToOutputDirectory="Always" />\n'
            "  </ItemGroup>\n</Project>\n"
        )
        build = "dotnet build Snippet.csproj --nologo --verbosity quiet --output out"
        run(["bash", "-ec", f"{found.stdout}\n{build}"], folder)
        return run(
            ["bash", "-ec", f"{found.stdout}\ndotnet exec out/Snippet.dll"],
            folder,
            CONTRASTIVE_LIBRARY="",
        )

    def go(self, code):
        found = subprocess.run(
            [self.root / "packaging/toolchains/go.sh", "--path"], capture_output=True, text=True
        )
        if found.returncode != 0:
            raise Missing("no Go 1.24 or newer (packaging/bootstrap.sh go)")
        folder = self.folder("go")
        if "func main()" not in code:
            code = self.go_program(code)
        (folder / "main.go").write_text(code)
        (folder / "go.mod").write_text(
            "module snippet\n\ngo 1.24\n\nrequire contrastive.io/go v0.1.0\n\n"
            f"replace contrastive.io/go => {self.root / 'bindings/go'}\n"
        )
        go = pathlib.Path(found.stdout.strip()) / "go"
        return run(
            [go, "run", "-tags", "contrastive_flags", "."],
            folder,
            CGO_ENABLED="1",
            CGO_CPPFLAGS=f"-I{self.root / 'capi/include'}",
            CGO_LDFLAGS=f"-L{self.build} -lcontrastive -Wl,-rpath,{self.build}",
            GOFLAGS="-mod=mod",
            GOPROXY="off",
        )

    @staticmethod
    def go_program(code):
        given = {
            "ctx": "ctx := context.Background()",
            "reader": 'reader, err := os.Open("pairs.tsv")\n\tif err != nil {\n\t\treturn err\n\t}',
            "model": 'model, err := contrastive.Load("all-MiniLM-L6-v2")\n'
            '\tif err != nil {\n\t\treturn err\n\t}',
        }
        defined = {
            name
            for names in re.findall(r"(?m)^\t*([\w, ]+) :=", code)
            for name in re.split(r", *", names)
        }
        lines = [
            text
            for name, text in given.items()
            if name not in defined and re.search(rf"\b{name}\b", code)
        ]
        names = sorted((defined | {"err"}) - {"_"})
        body = "\n\t".join([*lines, *re.sub(r"(?m)^", "\t", code).lstrip("\t").splitlines()])
        packages = [
            name
            for name in ("context", "fmt", "os")
            if re.search(rf"\b{name}\.", body + " os.Exit")
        ]
        return (
            "package main\n\nimport (\n"
            + "".join(f'\t"{name}"\n' for name in packages)
            + '\n\tcontrastive "contrastive.io/go"\n)\n\n'
            f"func run() error {{\n\tvar err error\n\t{body}\n"
            f"\t{', '.join('_' for _ in names)} = {', '.join(names)}\n\treturn err\n}}\n\n"
            "func main() {\n\tif err := run(); err != nil {\n"
            "\t\tprintln(err.Error())\n\t\tos.Exit(1)\n\t}\n}\n"
        )

    def rust(self, code):
        found = subprocess.run(
            [self.root / "packaging/toolchains/rust.sh", "--path"], capture_output=True, text=True
        )
        if found.returncode != 0:
            raise Missing("no cargo that is new enough (packaging/bootstrap.sh rust)")
        need(self.root / "bindings/rust/Cargo.lock", "bindings/rust/test.sh makes it")
        folder = self.folder("rust")
        if "DEP_CONTRASTIVE_RUST_LIB_DIR" in code:  # a build script, for a program of one line
            (folder / "build.rs").write_text(code + "\n")
            code = 'fn main() {\n    println!("{}", contrastive::version());\n}'
        if "fn main()" not in code:
            uses = [line for line in code.splitlines() if line.startswith("use ")]
            given = []
            if re.search(r"\bmodel\b", code) and "let model" not in code:
                given.append('let model = contrastive::Model::load("all-MiniLM-L6-v2")?;')
            if re.search(r"\breader\b", code):
                given.append('let reader = std::fs::File::open("pairs.tsv")?;')
            if "Model::load" in code and not uses:
                uses.append("use contrastive::Model;")
            body = "\n".join(
                given + [line for line in code.splitlines() if not line.startswith("use ")]
            )
            code = (
                "\n".join(uses) + f"\n\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n"
                f"{indented(body, 4)}    Ok(())\n}}\n"
            )
        (folder / "src").mkdir()
        (folder / "src/main.rs").write_text(code)
        (folder / "Cargo.toml").write_text(
            '[package]\nname = "snippet"\nversion = "0.1.0"\n'
            'edition = "2021"\n\n[dependencies]\nserde_json = "1"\n'
            f'contrastive = {{ path = "{self.root / "bindings/rust/contrastive"}" }}\n'
            f'\n[workspace]\n'
        )
        (folder / "Cargo.lock").write_bytes((self.root / "bindings/rust/Cargo.lock").read_bytes())
        cargo = pathlib.Path(found.stdout.strip()) / "cargo"
        library_path = (
            {} if (folder / "build.rs").exists() else {"LD_LIBRARY_PATH": str(self.build)}
        )
        return run(
            [cargo, "run", "--quiet", "--offline"],
            folder,
            CONTRASTIVE_LIBRARY=str(self.build),
            CARGO_TARGET_DIR=str(self.root / "build/rust/snippets"),
            PATH=f"{found.stdout.strip()}:{os.environ['PATH']}",
            **library_path,
        )
