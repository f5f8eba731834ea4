# The NuGet packages, restored, built and published by the SDK of packaging/toolchains/dotnet.sh.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
made nuget
dotnet=$cache/dotnet-10.0.401
[ -e "$dotnet/.complete" ] || die "no .NET SDK in $dotnet: run packaging/toolchains/csharp.sh"
fresh bookworm unzip
readme=$root/bindings/csharp/README.md

mkdir -p "$work/reader"/{App,Train}
snippet "$readme" csharp >"$work/reader/App/Hello.cs"
cp "$here/languages/Train.cs" "$work/reader/Train"
cp "$here/languages/App.csproj" "$work/reader/App/App.csproj"
cp "$here/languages/App.csproj" "$work/reader/Train/Train.csproj"
for folder in App Train; do
  ln -s ../all-MiniLM-L6-v2 "$work/reader/$folder/all-MiniLM-L6-v2"
done
chmod -R a+rwX "$work/reader"
sdk=("$dotnet:/opt/dotnet:ro")
# The reader's own cache of packages, with those that the SDK has beside it.
net='. /opt/dotnet/env.sh; export DOTNET_CLI_HOME=$PWD NUGET_PACKAGES=$PWD/packages
  export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
  mkdir -p packages; ln -sfn /opt/dotnet/nuget/* packages;'
snippet "$readme" xml | sed 's|<packageSources>|&<clear />|' >"$work/reader/nuget.config"
reference() { sed -i "s|  </ItemGroup>|    $1\n&|" "$work/reader/$2"; }
reference "$(grep -m 1 '^<PackageReference Include="Contrastive"' "$readme")" App/App.csproj
reference "$(grep -m 1 '^<PackageReference Include="Contrastive"' "$readme")" Train/Train.csproj
expect "build" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; dotnet build --nologo -v quiet -warnaserror; echo made"
expect "the README's program" 0 "$readme_score" reader "${sdk[@]}" -- \
  "$net cd App; dotnet exec bin/Debug/net8.0/App.dll"
expect "publish" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; dotnet publish --nologo -v quiet -o ../published; echo made"
expect "published" 0 "$readme_score" reader "${sdk[@]}" -- \
  "$net dotnet exec published/App.dll"
expect "restored again" 0 "made" reader "${sdk[@]}" -- \
  "$net cd App; dotnet restore --force -v quiet; dotnet build --nologo -v quiet; echo made"
expect "a program that trains" 0 "made" reader "${sdk[@]}" -- \
  "$net cd Train; dotnet build --nologo -v quiet; echo made"
refuses_to_train "training without its part" reader "${sdk[@]}" -- \
  "$net cd Train; dotnet exec bin/Debug/net8.0/Train.dll"
reference "<PackageReference Include=\"Contrastive.Torch\" Version=\"$version\" />" \
  Train/Train.csproj
expect "the same with the part" 0 "made" reader "${sdk[@]}" -- \
  "$net cd Train; dotnet build --nologo -v quiet; echo made"
makes_a_step "training" reader "${sdk[@]}" "${with_libtorch[@]}" -- \
  "$net $name_libtorch cd Train; dotnet exec bin/Debug/net8.0/Train.dll"
