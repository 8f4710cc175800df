package driver

import (
	"path/filepath"
	"testing"
)

const untested = `
-- go.mod --
module p
go 1.25
-- a/a.go --
package a
var evil int
-- a/a_test.go --
package a
var wicked string = 1
-- a/x_test.go --
package a_test
import _ "nowhere.example/q"
-- b/b.go --
package b
import _ "p/a"
var evil int
-- c/c_test.go --
package c
import _ "nowhere.example/q"
-- over.txt --
package a

var evil int
-- overlay.json --
{"Replace": {"a/a.go": "over.txt"}}
`

// TestUntested: with -tests=false, tests are not loaded, so that it does not matter whether they can
// be compiled.
func TestUntested(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, untested)
	const (
		a = "a/a.go:2:5: [vars] evil variable (fixable with -fix)"
		b = "b/b.go:3:5: [vars] evil variable (fixable with -fix)"
	)
	w.atomvet("-vars", "./a").want(t, 2, nil, "nowhere.example/q")
	w.atomvet("-vars", "-tests=false", "./b").want(t, 1, lines(b))
	w.atomvet("-vars", "-tests=false", "./a").want(t, 1, lines(a))
	w.atomvet("-vars", "-tests=false", "./...").want(t, 1, lines(a, b))

	// So it is if one package cannot be loaded, and the rest is checked.
	w.write("bad/bad.go", "package bad\nimport _ \"nowhere.example/r\"\n")
	w.atomvet("-vars", "-tests=false", "./...").want(t, 2, lines(a, b), "nowhere.example/r")

	// A package of tests alone cannot be loaded without them, and is not what a pattern is about.
	w.atomvet("-vars", "-tests=false", "./c").want(t, 2, nil, "nowhere.example/q")

	// The tests in a list of files were asked for.
	w.atomvet("-vars", "-tests=false", "a/a.go", "a/a_test.go").want(t, 2, nil, "a_test.go")

	// What the tests are is decided with the overlay of the command line, which counts as well.
	w.atomvet("-vars", "-tests=false", "-overlay=overlay.json", "./a").want(t, 1, lines("over.txt:3:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("-vars", "-tests=false", "-overlay=missing.json", "./a").want(t, 2, lines(), "missing.json")

	w.atomvet("-fix", "-vars", "-tests=false", "./a").want(t, 0, lines())
	if got, want := w.read("a/a.go"), "package a\n\nvar good int\n"; got != want {
		t.Errorf("fixed file is %q, want %q", got, want)
	}
}

// TestUntestedIgnores: whether a comment silences something may depend on the tests, which are
// not seen unless the question was asked.
func TestUntestedIgnores(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
-- go.mod --
module p
go 1.25
-- a/a.go --
//ignore tested
package a
-- a/a_test.go --
package a
-- b/b.go --
//ignore tested
package b
import _ "p/a"
`)
	b := lines("b/b.go:2:1: [ignores/no-effect] nothing to ignore")
	w.atomvet("-tests=false", "./a", "./b").want(t, 1, b)
	w.atomvet("-tests=false", "-unused-ignores", "./a").want(t, 0, lines())
	w.atomvet("-tests=false", "-unused-ignores", "./b").want(t, 1, b)
}

func TestIsBelow(t *testing.T) {
	cache := filepath.FromSlash("/go/pkg/mod")
	for name, want := range map[string]bool{
		"/go/pkg/mod/example.com/m@v1.0.0/a": true,
		"/go/pkg/modern":                     false,
		"/go/src":                            false,
	} {
		if got := isBelow(cache, filepath.FromSlash(name)); got != want {
			t.Errorf("%s below %s: %t, want %t", name, cache, got, want)
		}
	}
	if isBelow("", cache) {
		t.Error("there is no cache to be below of")
	}
}
