"""stub.py HEADER: the C source of a library that declares and does what this header says, with
nothing behind it: each function returns 0."""

import re
import sys

code = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
found = re.findall(r"CS_API\s+([^;()]*?)\s*(\bcs_\w+)\(([^;]*)\);", code)
if len(found) < 50:
    sys.exit(f"{sys.argv[1]}: only {len(found)} functions were found")
print("#include <contrastive/contrastive.h>")
for result, name, parameters in found:
    print(f"{result} {name}({parameters}) {{ {'' if result == 'void' else 'return 0;'} }}")
