package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// TestKept: the comments of the tests that are kept are complete, and FOUND.md names each of the tests
// where it describes its finding, at the commit that the test is for.
func TestKept(t *testing.T) {
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	list, err := loadKept(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no tests")
	}
	data, err := os.ReadFile(filepath.Join(root, "testdata", "realcode", "FOUND.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := string(data)
	for _, k := range list {
		_, section, ok := strings.Cut(found, "\n### "+k.found+". ")
		section, _, _ = strings.Cut(section, "\n### ")
		if !ok || !strings.Contains(section, "`"+k.name+"`") || !strings.Contains(found, "/"+k.project+" | `"+k.commit+"`") {
			t.Errorf("%s: section %s of FOUND.md does not name it, or %s has another commit there", k.name, k.found, k.project)
		}
	}
}

// TestParseKept: what a comment has to have.
func TestParseKept(t *testing.T) {
	const good = "//go:build ignore\n\n// Project: p c\n// Package: ./a\n// Finding: 12ab, a.go:1\n// Found: 3\n// Switch: a.go:7\n// Flags: -tags=x -race\n\npackage a\n\nfunc f() { atomvetrt.Try() }\n"
	name := filepath.Join(t.TempDir(), "x_test.go")
	parse := func(text string) (*kept, error) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return parseKept(name)
	}
	k, err := parse(good)
	if err != nil {
		t.Fatal(err)
	}
	if k.name != "x" || k.project != "p" || k.commit != "c" || k.pkg != "./a" || k.finding != "12ab" || k.found != "3" || k.at != "-at=a.go:7" || len(k.flags) != 2 {
		t.Errorf("got %+v", k)
	}
	for _, missing := range []string{"//go:build ignore\n", "// Project: p c\n", "// Package: ./a\n", "// Finding: 12ab, a.go:1\n", "// Found: 3\n", "atomvetrt.Try()"} {
		if _, err := parse(strings.Replace(good, missing, "", 1)); err == nil {
			t.Errorf("no error without %q", missing)
		}
	}
}
