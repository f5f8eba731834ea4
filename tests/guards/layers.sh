#!/usr/bin/env bash
# layers.sh ROOT: every include line between the folders of core is allowed by the table in
# core/README.md, directly or through a folder that is; the program, the C tests and the core's own
# headers keep to their rules as well.
set -euo pipefail
cd "$1"
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

# allowed[folder]: what its row of the table names, "nothing" aside.
declare -A allowed closure
folders=()
while IFS='|' read -r _ folder _ may _; do
  folder=$(tr -d '` ' <<<"$folder")
  folders+=("$folder")
  allowed[$folder]=$(tr '`,' '  ' <<<"$may" | sed 's/\bnothing\b//; s/\band\b//g')
done < <(sed -n '/^| `/p' core/README.md)
[ ${#folders[@]} -ge 10 ] || { echo "core/README.md: the table of layers was not found" >&2; exit 1;
  }
for folder in core/*/ core/torch/*/; do
  folder=${folder#core/}
  folder=${folder%/}
  [ "$folder" = torch ] || [ -n "${allowed[$folder]+x}" ] ||
    complain "core/$folder has no row in the table of core/README.md"
done

# layer PATH: sets `layer` to that of a path below core, such as io or torch/nn.
layer() {
  layer=${1%%/*}
  [ "$layer" != torch ] || { layer=${1#torch/}; layer=torch/${layer%%/*}; }
}
# What a folder may include: itself, its row, what those may, and base, except for what base itself
# is built on. A row may name single files (torch/methods/method.h) of a folder. A file that
# includes nothing opens no other folder.
reach() {
  local folder=$1 item
  for item in ${allowed[$folder]-}; do
    case " ${closure[$2]-} " in *" $item "*) continue ;; esac
    closure[$2]+=" $item"
    [ ! -f "core/$item" ] || grep -q '^#include' "core/$item" || continue
    layer "$item"
    reach "$layer" "$2"
  done
}
closure[below]=
reach base below  # what base is built on
for folder in "${folders[@]}"; do
  case " ${closure[below]} " in
    *" $folder "*) closure[$folder]=$folder ;;
    *) closure[$folder]="base $folder${closure[below]}" ;;
  esac
  reach "$folder" "$folder"
done

while IFS=: read -r file line text; do
  layer "${file#core/}"
  from=$layer
  to=${text#*'"core/'}
  to=${to%%'"'*}
  layer "$to"
  case " ${closure[$from]-} " in
    *" $layer "* | *" $to "*) ;;
    *) complain "$file:$line: core/$from may not include core/$to" ;;
  esac
done < <(grep -rn --include='*.h' --include='*.cpp' '#include "core/' core)

# Of the methods, core/torch/plugin sees only the list, and core/torch/run only the interface and
# the list.
while IFS=: read -r file line text; do
  complain "$file:$line: only methods/registry.h may be included here:$text"
done < <(grep -rn '#include "core/torch/methods/' capi core/eval core/training core/torch/tasks \
  core/torch/plugin | grep -v 'methods/registry.h"' || true)
while IFS=: read -r file line text; do
  complain "$file:$line: the trainer knows no method by name:$text"
done < <(grep -rn '#include "core/torch/methods/' core/torch/run |
  grep -vE 'methods/(registry|method)\.h"' || true)

# A method includes no other method, and the shared code includes none. The folder of a method is
# private to it.
while IFS=: read -r file line text; do
  method=$(sed 's/.*"core\/torch\/methods\/\([a-z_]*\)\/.*/\1/' <<<"$text")
  [[ $file = core/torch/methods/$method/* ]] ||
    complain "$file:$line: only core/torch/methods/$method includes what is the method's own:$text"
done < <(grep -rnE '#include "core/torch/methods/[a-z_]+/' core || true)

# The program is a client of contrastive.h; so are the C tests. How files are opened and temporaries
# named, how bytes are hashed, and how lines of text are read, is one rule for the library and its
# program.
while IFS=: read -r file line text; do
  complain "$file:$line: the program sees contrastive.h and its own files only:$text"
done < <(grep -rnE --include='*.h' --include='*.cpp' '#include "' capi/program |
  grep -vE -e '"capi/program/' -e '"core/base/(error|file|nearest|sha256|temporary|text_form)\.h"' \
    -e '"core/(data/(gunzip|line_splitter)|text/utf8)\.h"' || true)
while IFS=: read -r file line text; do
  complain "$file:$line: the C tests see contrastive.h only:$text"
done < <(grep -rnE --include='*.h' --include='*.c' --include='*.cpp' \
  '#include [<"](core|capi|ATen|c10|torch)/' tests/capi tests/program || true)

# Folders without LibTorch, and headers without its largest one.
while IFS=: read -r file line text; do
  complain "$file:$line: no LibTorch in this folder:$text"
done < <(grep -rnE '#include <(ATen|c10|torch)/' \
  core/{system,host,cpu,base,text,runtime,encoder,io,model,data,retrieval,eval,mining} \
  core/{training,vocabulary,adapt} capi || true)
while IFS=: read -r file line text; do
  complain "$file:$line: no torch.h in a header: it costs every file that includes it 25 s:$text"
done < <(grep -rn --include='*.h' '#include <torch/\(torch\|all\|extension\).h>' core capi tests \
  || true)

[ "$failures" -eq 0 ] || { echo "$failures include lines against the layers" >&2; exit 1; }
echo "${#folders[@]} layers, every include line as the table of core/README.md allows"
