//go:build (!cgo || contrastive_purego) && !windows

package raw

import "github.com/ebitengine/purego"

// OpenLibrary opens a library as the loader of the system does.
func OpenLibrary(file string) (uintptr, error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// Symbol returns the address of a function of a library.
func Symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// systemFiles returns the names that the loader of the system looks for in its folders, and the
// folders that it leaves out.
func systemFiles() []string {
	return []string{fileName, "/usr/local/lib/" + fileName}
}
