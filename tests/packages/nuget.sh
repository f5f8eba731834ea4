# The NuGet packages: on mono, by the README's lines; on .NET, restored and published by the SDK of
# packaging/toolchains.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
made nuget
dotnet=$cache/dotnet-3.1.23
[ -x "$dotnet/run" ] || die "no .NET SDK: run packaging/toolchains/csharp.sh"
fresh bookworm mono-devel unzip
readme=$root/bindings/csharp/README.md

# --- mono. System.Memory comes with the SDK here: the registry that has the package is not in reach
# of every builder.
mkdir -p "$work/reader"/{mono,App,Train}
memory=$(echo "$dotnet"/sdk/*/Sdks/Microsoft.NET.Sdk.WindowsDesktop/tools/net472)
cp "$memory"/System.{Memory,Runtime.CompilerServices.Unsafe,Numerics.Vectors}.dll \
  "$work/reader/mono"
snippet "$readme" csharp | tee "$work/reader/mono/Hello.cs" >"$work/reader/App/Hello.cs"
cp "$here/languages/Train.cs" "$work/reader/mono"
cp "$here/languages/Train.cs" "$work/reader/Train"
cp "$here/languages/App.csproj" "$work/reader/App/App.csproj"
cp "$here/languages/App.csproj" "$work/reader/Train/Train.csproj"
for folder in mono App Train; do
  ln -s ../all-MiniLM-L6-v2 "$work/reader/$folder/all-MiniLM-L6-v2"
done
chmod -R a+rwX "$work/reader"
mcs='mcs -r:Contrastive.dll -r:System.Memory.dll -r:Facades/netstandard.dll'
expect "mono: the README's lines" 0 "$readme_score" reader -- \
  "cd mono; $(snippet "$readme" '' 'If you build a package again')"
expect "mono: again" 0 "$readme_score" reader -- "cd mono; mono Hello.exe"
refuses_to_train "mono: training without its part" reader -- \
  "cd mono; $mcs Train.cs >mcs.log 2>&1; mono Train.exe"
makes_a_step "mono: training" reader "${with_libtorch[@]}" -- \
  "$name_libtorch cd mono
  unzip -qj /srv/packages/nuget/Contrastive.Torch.*.nupkg 'runtimes/linux-x64/native/*'
  mono Train.exe"

# --- .NET
sdk=("$dotnet:/opt/dotnet:ro")
net='export DOTNET_CLI_HOME=$PWD; dotnet=/opt/dotnet/run;'
snippet "$readme" xml | sed 's|<packageSources>|&<clear />|' >"$work/reader/nuget.config"
reference() { sed -i "s|  </ItemGroup>|    $1\n&|" "$work/reader/$2"; }
reference "$(grep -m 1 '^<PackageReference Include="Contrastive"' "$readme")" App/App.csproj
reference "$(grep -m 1 '^<PackageReference Include="Contrastive"' "$readme")" Train/Train.csproj
expect ".NET: build" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; \$dotnet build --nologo -v quiet -warnaserror; echo made"
expect ".NET: the README's program" 0 "$readme_score" reader "${sdk[@]}" -- \
  "$net cd App; \$dotnet exec bin/Debug/netcoreapp3.1/App.dll"
expect ".NET: publish" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; \$dotnet publish --nologo -v quiet -o ../published; echo made"
expect ".NET: published" 0 "$readme_score" reader "${sdk[@]}" -- \
  "$net \$dotnet exec published/App.dll"
expect ".NET: restored again" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; \$dotnet restore --force -v quiet; \$dotnet build --nologo -v quiet; echo made"
expect ".NET: a program that trains" 0 "made" reader "${sdk[@]}" -- \
  "$net cd Train; \$dotnet build --nologo -v quiet; echo made"
refuses_to_train ".NET: training without its part" reader "${sdk[@]}" -- \
  "$net cd Train; \$dotnet exec bin/Debug/netcoreapp3.1/Train.dll"
reference "<PackageReference Include=\"Contrastive.Torch\" Version=\"$version\" />" \
  Train/Train.csproj
expect ".NET: the same with the part" 0 "made" reader "${sdk[@]}" -- \
  "$net cd Train; \$dotnet build --nologo -v quiet; echo made"
makes_a_step ".NET: training" reader "${sdk[@]}" "${with_libtorch[@]}" -- \
  "$net $name_libtorch cd Train; \$dotnet exec bin/Debug/netcoreapp3.1/Train.dll"
