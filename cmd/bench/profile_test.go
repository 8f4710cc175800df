//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfile checks that each process of the detectors leaves two profiles that are not empty.
func TestProfile(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := profile(dir, strings.TrimSpace(string(cache)), "", []string{"internal/goarch"}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"cpu", "heap"} {
		files, err := filepath.Glob(filepath.Join(dir, kind+"-*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("there are no %s profiles: %v", kind, err)
		}
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || info.Size() == 0 {
				t.Errorf("%s is empty: %v", name, err)
			}
		}
	}
}
