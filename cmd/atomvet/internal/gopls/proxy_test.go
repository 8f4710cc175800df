package gopls_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// proxy writes the directory of a module proxy that has the module in root as v0.99.0.
func proxy(t *testing.T, root string) string {
	t.Helper()
	const path, version = "github.com/atomvet/atomvet", "v0.99.0"
	dir := t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"list":            version + "\n",
		version + ".info": `{"Version": "` + version + `", "Time": "2026-01-01T00:00:00Z"}`,
		version + ".mod":  string(mod),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for _, part := range []string{"go.mod", "go.sum", "LICENSE", "cmd", "passes"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return fs.SkipDir
				}
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			to, err := w.Create(path + "@" + version + "/" + filepath.ToSlash(rel))
			if err == nil {
				_, err = to.Write(data)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
