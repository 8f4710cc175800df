package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	root := unpack(t, `
-- go/VERSION --
go1.99
time 2026-01-01T00:00:00Z
-- go/src/a.go --
-- m@v0.47.0/a.go --
-- repo/sub/a.go --
`)
	repo := filepath.Join(root, "repo")
	for _, args := range []string{"init -q", "add .", "-c user.name=n -c user.email=e commit -q -m m"} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	for dir, want := range map[string]string{
		"go/src":    "go1.99",
		"go":        "of an unknown version",
		"m@v0.47.0": "v0.47.0",
		"repo/sub":  "of an unknown version",
	} {
		if got := version(filepath.Join(root, dir)); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
	if got := version(repo); len(got) != 40 {
		t.Errorf("commit %q", got)
	}
}

func TestCountLines(t *testing.T) {
	root := unpack(t, `
-- go.mod --
module m
go 1.25
-- a.go --
package m
-- a_plan9.go --
package m

-- tagged.go --
//go:build some

package m
-- a_test.go --
package m

-- x_test.go --
package m_test



-- testdata/t.go --
package t
-- broken/b.go --
package b

import "m/nosuch"
`)
	for _, test := range []struct {
		flags string
		want  int
	}{
		{"", 1 + 2 + 4},
		{"-tests", 1 + 2 + 4},
		{"-tests=false", 1},
		{"-tests=false -tests=1", 1 + 2 + 4},
		{"-tests=false -tags=some", 1 + 3},
		{"--tests=0 --tags=some -stalevalue.confidence=low", 1 + 3},
	} {
		got, err := scopeOf(root, strings.Fields(test.flags), []string{"./..."})
		if err != nil || got.lines != test.want {
			t.Errorf("%q: %+v, %v; want %d lines", test.flags, got, err, test.want)
		}
		if got != nil && (!got.dirs["."] || got.dirs["broken"]) {
			t.Errorf("%q: directories %v", test.flags, got.dirs)
		}
	}
	if s, err := scopeOf(root, []string{"-mod=nosuch"}, []string{"./..."}); err == nil {
		t.Errorf("%+v in spite of a wrong flag", s)
	}
}
