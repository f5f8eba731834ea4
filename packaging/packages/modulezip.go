// Writes a Go module into a folder that serves as a module proxy (GOPROXY=file://FOLDER). It uses
// the code with which the go command itself makes and checks module zips: packaging/packages/go.sh
// builds this program with the copy that comes with Go.
//
//	modulezip SOURCES PATH VERSION TIME FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 6 {
		fail(fmt.Errorf("usage: modulezip SOURCES PATH VERSION TIME FOLDER"))
	}
	sources, path, version, time, folder := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	escaped, err := module.EscapePath(path)
	fail(err)
	place := filepath.Join(folder, escaped, "@v", version)
	fail(os.MkdirAll(filepath.Dir(place), 0o755))

	file, err := os.Create(place + ".zip")
	fail(err)
	fail(zip.CreateFromDir(file, module.Version{Path: path, Version: version}, sources))
	fail(file.Close())
	checked, err := zip.CheckZip(module.Version{Path: path, Version: version}, place+".zip")
	fail(err)
	fail(checked.Err())

	gomod, err := os.ReadFile(filepath.Join(sources, "go.mod"))
	fail(err)
	fail(os.WriteFile(place+".mod", gomod, 0o644))
	info, err := json.Marshal(map[string]string{"Version": version, "Time": time})
	fail(err)
	fail(os.WriteFile(place+".info", append(info, '\n'), 0o644))
	fail(os.WriteFile(filepath.Join(filepath.Dir(place), "list"), []byte(version+"\n"), 0o644))
	fmt.Println(len(checked.Valid))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "modulezip:", err)
		os.Exit(1)
	}
}
