//go:build (!cgo || contrastive_purego) && windows

package raw

import (
	"os"
	"path/filepath"
	"syscall"
)

// OpenLibrary opens a library as the loader of the system does.
func OpenLibrary(file string) (uintptr, error) {
	library, err := syscall.LoadLibrary(file)
	return uintptr(library), err
}

// Symbol returns the address of a function of a library.
func Symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}

// systemFiles returns the files of that name in the folders of PATH. A name without a folder would
// also be looked for in the current folder, where others may have put it.
func systemFiles() (files []string) {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(folder, fileName)
		if info, err := os.Stat(file); filepath.IsAbs(file) && err == nil && !info.IsDir() {
			files = append(files, file)
		}
	}
	return files
}
