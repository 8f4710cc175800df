package gopls

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerify: a file that was changed in the module cache is noticed.
func TestVerify(t *testing.T) {
	cmd := goCommand{ctx: context.Background(), dir: t.TempDir()}
	r, err := download(cmd, Version)
	if err != nil {
		if testing.Short() {
			t.Skipf("-short, and the module proxy does not have gopls: %v", err)
		}
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "gopls")
	if err := os.CopyFS(dir, os.DirFS(r.Dir)); err != nil {
		t.Fatal(err)
	}
	r.Dir = dir
	if err := r.verify(cmd); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "internal", "settings", "more.go"), []byte("package settings\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.verify(cmd); err == nil || !strings.Contains(err.Error(), "has the checksum h1:") {
		t.Errorf("error %v", err)
	}
	t.Setenv("GOSUMDB", "off")
	r.Version = "v0.999.0"
	if err := r.verify(cmd); err == nil || !strings.Contains(err.Error(), "GOSUMDB is off") {
		t.Errorf("error %v", err)
	}
}
