package repo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

func TestRoot(t *testing.T) {
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "cmd", "internal", "repo", "repo.go")); err != nil {
		t.Error(err)
	}
	t.Setenv("GO111MODULE", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	if root, err := repo.Root(t.TempDir()); err == nil {
		t.Errorf("a directory outside of modules is in %s", root)
	}
}

func TestDecode(t *testing.T) {
	type file struct {
		Name string `json:"name"`
		Any  any    `json:"any"`
	}
	var f file
	if err := repo.Decode([]byte(`{"name": "a", "any": 1}`), &f); err != nil || f.Name != "a" || f.Any != json.Number("1") {
		t.Errorf("got %v, %v", f, err)
	}
	for _, text := range []string{`{"other": 1}`, `{"name": 1}`, `{"name": "a"} {}`, `{"name": "a"`, ``} {
		if err := repo.Decode([]byte(text), new(file)); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
}
