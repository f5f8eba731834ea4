// Keeps a README.md that a person wrote when a save replaces the model's folder.
#pragma once

#include <string>

namespace contrastive::io {

// For a save that is about to replace `target` by `fresh`. If the README.md of `target` is neither
// an unchanged card of this library nor equal to the one in `fresh`, copies it to README.before.md
// in `fresh`, or to README.before-2.md if that name is taken. READMEs kept by earlier saves are
// copied too. Throws kLimit above 64 MB.
void keep_readme(const std::string& target, const std::string& fresh);

// For use before hours of work that end in such a save: throws kLimit or kIo if the README.md at
// `path` could not be kept.
void check_readme(const std::string& path);

bool is_kept_readme(const std::string& name);  // README.before.md, README.before-2.md, ...

}  // namespace contrastive::io
