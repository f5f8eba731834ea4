package contrastive_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var swigVersion = regexp.MustCompile(`Version ([0-9.]+)`)
var declaration = regexp.MustCompile(`(?m)^(?:func|type) .*$|_wrap_\w+\(`)

// The committed raw layer is what SWIG makes of bindings/swig/contrastive.i today: the same bytes by the version of SWIG that made it, by another one,
// which words things differently, the same declarations.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if _, err := exec.LookPath("swig"); err != nil {
		t.Skip("SWIG is not installed, so the generated files cannot be compared:", err)
	}
	fresh := t.TempDir()
	if output, err := exec.Command("internal/swig/generate.sh", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, name := range []string{"contrastive.go", "contrastive_wrap.cxx"} {
		made, err := os.ReadFile(filepath.Join(fresh, name))
		must(t, err)
		committed, err := os.ReadFile(filepath.Join("internal/swig", name))
		must(t, err)
		here, there := swigVersion.FindSubmatch(made), swigVersion.FindSubmatch(committed)
		if here == nil || there == nil {
			t.Fatalf("internal/swig/%s does not state the version of SWIG that made it", name)
		}
		if !bytes.Equal(here[1], there[1]) {
			t.Logf("internal/swig/%s was made by SWIG %s, and here is %s: its declarations are compared", name, there[1], here[1])
			made, committed = bytes.Join(declaration.FindAll(made, -1), []byte("\n")), bytes.Join(declaration.FindAll(committed, -1), []byte("\n"))
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("internal/swig/%s is not what SWIG makes now: run go generate ./internal/swig", name)
		}
	}
}
