//go:build !cgo || contrastive_purego

package raw

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// fileName is the name of the library on this system.
var fileName = cmp.Or(map[string]string{
	"windows": "contrastive.dll", "darwin": "libcontrastive.0.dylib",
}[runtime.GOOS], "libcontrastive.so.0")

// open finds the library and opens it. It looks where CONTRASTIVE_LIBRARY says (a file or its
// folder), and nowhere else if that is set; then next to the executable, in package natives if the
// program imports it, and where the system looks.
func open() (library uintptr, place string, err error) {
	var looked []string
	try := func(file, where string) bool {
		if library, err = OpenLibrary(file); err == nil {
			place = file
			return true
		}
		looked = append(looked, fmt.Sprintf("%s (%v)", where, err))
		return false
	}
	if named := os.Getenv("CONTRASTIVE_LIBRARY"); named != "" {
		if info, err := os.Stat(named); err == nil && info.IsDir() {
			named = filepath.Join(named, fileName)
		}
		if try(named, "CONTRASTIVE_LIBRARY="+named) {
			return library, place, nil
		}
		return 0, "", notFound(looked)
	}
	for _, file := range nextToExecutable() {
		if _, missing := os.Stat(file); missing != nil {
			looked = append(looked, file)
		} else if try(file, file) {
			return library, place, nil
		}
	}
	names, _ := fs.Glob(Natives, "*/"+fileName)
	for _, name := range names {
		file, err := unpack(name)
		if err != nil {
			looked = append(looked, fmt.Sprintf("%s of package natives (%v)", name, err))
		} else if try(file, name+" of package natives") {
			return library, place, nil
		}
	}
	for _, file := range systemFiles() {
		if try(file, file+" as the system finds it") {
			return library, place, nil
		}
	}
	return 0, "", notFound(looked)
}

func nextToExecutable() []string {
	executable, err := os.Executable()
	if err == nil {
		executable, err = filepath.EvalSymlinks(executable)
	}
	if err != nil {
		return nil
	}
	folder := filepath.Dir(executable)
	return []string{
		filepath.Join(folder, fileName), filepath.Join(folder, "..", "lib", fileName),
	}
}

func notFound(looked []string) error {
	return errors.New("the C library was not found for " + runtime.GOOS + "/" + runtime.GOARCH +
		". There are libraries for linux/amd64 and linux/arm64 (glibc and musl), windows/amd64, " +
		"darwin/amd64 and darwin/arm64. Put " + fileName + " next to the program, or name it in " +
		"the environment variable CONTRASTIVE_LIBRARY. Tried: " + strings.Join(looked, "; "))
}

// unpack writes a library of package natives to the user's cache, unless it is there already. A
// file that is there is compared, because others may be able to write to the folder.
func unpack(name string) (string, error) {
	content, err := fs.ReadFile(Natives, name)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	folder := filepath.Join(cache, "libcontrastive", "go-"+hex.EncodeToString(sum[:8]))
	file := filepath.Join(folder, path.Base(name))
	if existing, err := os.ReadFile(file); err == nil && bytes.Equal(existing, content) {
		return file, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	temporary, err := os.CreateTemp(folder, "*.part")
	if err != nil {
		return "", err
	}
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Chmod(0o700), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		os.Remove(temporary.Name())
		return "", err
	}
	return file, nil
}
