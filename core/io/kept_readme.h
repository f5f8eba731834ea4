// What a person wrote about a model, where a save replaces its folder: nothing of it is lost.
#pragma once

#include <string>

namespace contrastive::io {

// For a save that is about to put `fresh` in the place of `target`: a README.md of `target` that is
// neither a card as this library wrote it nor the one in `fresh` goes on as README.before.md in
// `fresh`, or as README.before-2.md where that name is taken, and those of saves before come along.
// kLimit above 64 MB.
void keep_readme(const std::string& target, const std::string& fresh);

// Before hours of work that end in such a save: kLimit or kIo where the README.md at `path` could
// not be kept then.
void check_readme(const std::string& path);

bool is_kept_readme(const std::string& name);  // README.before.md, README.before-2.md, ...

}  // namespace contrastive::io
