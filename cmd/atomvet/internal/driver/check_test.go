package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const someFindings = `
-- go.mod --
module p
go 1.25
-- b/b.go --
package b
import "p/a"
func BadB() { a.BadA() }
var wicked int
-- b/b_test.go --
package b
var evil int
-- b/x_test.go --
package b_test
import "p/b"
func f() { b.BadB() }
-- a/a.go --
package a
func BadA() {}
func Good() {}
-- tagged/tagged.go --
//go:build special
package tagged
var evil int
-- tagged/doc.go --
package tagged
-- clean/clean.go --
package clean
-- fixme/z.go --
package fixme

import _ "p/fixme/dep"

var evil int
-- fixme/a.go --
package fixme
-- fixme/dep/dep.go --
package dep
var evil int
`

func TestText(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	a := []string{
		"a/a.go:2:6: [funcs/bad-function] BadA is bad",
		"a/a.go:1:1: \tin this package",
	}
	b := []string{
		"b/b.go:3:6: [funcs/bad-function] BadB is bad",
		"b/b.go:1:1: \tin this package",
		"b/b.go:3:17: [funcs] use of a.BadA",
	}
	bTest := []string{
		"b/b_test.go:2:5: [vars] evil variable (fixable with -fix)",
		"b/x_test.go:3:14: [funcs] use of b.BadB",
	}
	all := slices.Concat(a, b, bTest)

	w.atomvet("./a", "./b", "./clean").want(t, 1, lines(all...))
	w.atomvet("./b", "./a", "./b/", "p/a").want(t, 1, lines(all...))
	w.atomvet("-tests=false", "./a", "./b").want(t, 1, lines(slices.Concat(a, b)...))
	w.atomvet("./clean").want(t, 0, lines())
	w.atomvet("-tests=false", "-vars", "./b").want(t, 0, lines())

	// Detectors and their flags.
	w.atomvet("-vars", "./a", "./b").want(t, 1, lines("b/b_test.go:2:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("-vars=false", "./a").want(t, 1, lines(a...))
	w.atomvet("-vars", "-vars.strict", "./b").want(t, 1, lines("b/b.go:4:5: [vars] wicked variable (fixable with -fix)", "b/b_test.go:2:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("--vars=true", "--vars.number", "7", "./b").want(t, 1, lines("b/b_test.go:2:5: [vars] evil variable (fixable with -fix)"))

	// Flags of the go command.
	w.atomvet("./tagged").want(t, 0, lines())
	w.atomvet("-tags", "special", "./tagged").want(t, 1, lines("tagged/tagged.go:3:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("-C", "b", "-vars=true", "-mod=mod").want(t, 1, lines("b_test.go:2:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("-C=b", "-vars", "../fixme").want(t, 1, lines("../fixme/z.go:5:5: [vars] evil variable (fixable with -fix)"))
	w.atomvet("-vars", "fixme/z.go", "fixme/a.go").want(t, 1, lines("fixme/z.go:5:5: [vars] evil variable (fixable with -fix)"))

	// Many packages.
	w.atomvet(append([]string{"-funcs"}, slices.Repeat([]string{"./a"}, 20000)...)...).want(t, 1, lines(a...))

	// No packages are the one in the current directory.
	w.dir = filepath.Join(w.dir, "a")
	w.atomvet().want(t, 1, lines("a.go:2:6: [funcs/bad-function] BadA is bad", "a.go:1:1: \tin this package"))
}

// TestWhy: with -why, explanations replace the findings, and the exit code is 1 if there are
// none. The explanations of the flag of one analyzer are diagnostics like others.
func TestWhy(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	explained := lines("b/b.go:4:5: [vars/why] wicked", "\tsilenced by rule")
	w.atomvet("-why=wicked", "./b").want(t, 0, explained)
	w.atomvet("-vars.why=wicked", "-vars", "-tests=false", "./b").want(t, 1, explained)
	w.atomvet("-why", "good", "./b").want(t, 1, lines(), "no detector relates an access at good")
	w.atomvet("-why=wicked", "-fix", "./b").want(t, 2, lines(), "-fix and -why")
	w.atomvet("-why=wicked", "./nosuch").want(t, 2, lines(), "nosuch")
}

func TestContext(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	w.atomvet("-vars", "-c=0", "./b").want(t, 1, lines("b/b_test.go:2:5: [vars] evil variable (fixable with -fix)", "2\tvar evil int"))
	w.atomvet("-vars", "-c=1", "./b").want(t, 1, lines("b/b_test.go:2:5: [vars] evil variable (fixable with -fix)", "1\tpackage b", "2\tvar evil int"))
}

func TestJSON(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	r := w.atomvet("-json", "./a", "./fixme")
	r.want(t, 1, nil)
	var got any
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("not one document: %v\n%s", err, r.stdout)
	}
	want := `{
	"findings": [
		{
			"analyzer": "funcs",
			"category": "bad-function",
			"url": "https://example.com/funcs#bad-function",
			"package": "p/a",
			"file": "a/a.go",
			"line": 2,
			"column": 6,
			"end": {
				"file": "a/a.go",
				"line": 2,
				"column": 6
			},
			"message": "BadA is bad",
			"related": [
				{
					"file": "a/a.go",
					"line": 1,
					"column": 1,
					"end": {
						"file": "a/a.go",
						"line": 1,
						"column": 1
					},
					"message": "in this package"
				}
			],
			"id": "2ec8831b7b29"
		},
		{
			"analyzer": "vars",
			"package": "p/fixme",
			"file": "fixme/z.go",
			"line": 5,
			"column": 5,
			"end": {
				"file": "fixme/z.go",
				"line": 5,
				"column": 9
			},
			"message": "evil variable",
			"suggested_fixes": [
				{
					"message": "be good",
					"edits": [
						{
							"filename": "fixme/z.go",
							"start": 43,
							"end": 47,
							"new": "good"
						}
					]
				}
			],
			"id": "2c4f1710369f"
		}
	]
}
`
	r.want(t, 1, &want)
	w.atomvet("-json", "./clean").want(t, 0, lines("{", "\t\"findings\": []", "}"))

	// Failures leave a document too, and the same exit code.
	w.write("bad/bad.go", "package bad\nvar x int = nothing\n")
	r = w.atomvet("-json", "-funcs", "./fixme", "./bad")
	r.want(t, 2, lines("{", "\t\"findings\": []", "}"), "bad/bad.go:2:13: undefined: nothing")
}

// TestFailures checks that what cannot be checked is named, and does not hide
// what is found elsewhere.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
-- go.mod --
module p
go 1.25
-- a/a.go --
package a
var evil int
-- types/types.go --
package types
var evil, x int = 1, nothing
-- user/user.go --
package user
import _ "p/types"
var evil int
-- syntax/syntax.go --
package syntax
func f() { if }
-- imports/imports.go --
package imports
import _ "p/nosuch"
-- imported/imported.go --
package imported
import _ "p/imports"
-- tests/tests.go --
package tests
-- tests/tests_test.go --
package tests
import _ "p/nosuch"
-- mixed/mixed.go --
package mixed
-- mixed/other.go --
package other
-- empty/README --
`)
	a := lines("a/a.go:2:5: [vars] evil variable (fixable with -fix)")
	w.atomvet("./types", "./a").want(t, 2, a, "types/types.go:2:22: undefined: nothing")
	w.atomvet("./user", "./a").want(t, 2, a, "types/types.go:2:22: undefined: nothing")
	w.atomvet("./a", "./syntax").want(t, 2, a, "syntax/syntax.go:2:15: expected operand")
	w.atomvet("./a", "./tests").want(t, 2, a, "tests/tests_test.go:2:8: package p/nosuch is not in std")

	// The go command itself would stop at these.
	w.atomvet("./a", "./imports").want(t, 2, a, "imports/imports.go:2:8: package p/nosuch is not in std")
	w.atomvet("./a", "./imported").want(t, 2, a, "imports/imports.go:2:8: package p/nosuch is not in std")
	w.atomvet("./a", "./mixed").want(t, 2, a, "found packages mixed (mixed.go) and other (other.go)")
	w.atomvet("./a", "./nosuch").want(t, 2, a, "nosuch: directory not found")
	w.atomvet("./a", "./empty").want(t, 2, a, "no Go files in")
	w.atomvet("-json", "./...").want(t, 2, nil, "nosuch", "undefined", "expected operand")

	w.atomvet("./nosuch").want(t, 2, lines(), "nosuch: directory not found")
	w.atomvet("nosuch/...").want(t, 2, lines(), "no packages to vet")
	w.atomvet("-fix", "./nosuch").want(t, 2, lines(), "nosuch: directory not found")
	w.atomvet("-fix", "-diff", "./a", "./types").want(t, 2, nil, "undefined: nothing")

	w.atomvet("-vars.error", "./a", "./syntax").want(t, 2, lines(), "atomvet: p/a: vars: some error")

	w.write("go.mod", "mod p\n")
	w.atomvet("./a").want(t, 2, lines(), "go.mod:1: unknown directive: mod")
}

func TestBadCommandLine(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	none := lines()
	w.atomvet("-nosuch", "./a").want(t, 2, none, "flag provided but not defined: -nosuch")
	w.atomvet("-vars=perhaps", "./a").want(t, 2, none, `invalid boolean value "perhaps" for -vars: want true or false`)
	w.atomvet("-vars.number=x", "./a").want(t, 2, none, `invalid value "x" for flag -vars.number: parse error`)
	w.atomvet("-tags").want(t, 2, none, "flag needs an argument: -tags")
	w.atomvet("-C", "nosuch").want(t, 2, none, "nosuch: no such file or directory")
	w.atomvet("-diff", "./a").want(t, 2, none, "-diff needs -fix")
	w.atomvet("-fix", "-json", "./a").want(t, 2, none, "-fix and -json cannot be used together")
	w.atomvet("-fix", "-c=1", "./a").want(t, 2, none, "-fix and -c cannot be used together")
	w.atomvet("./a", "-json").want(t, 2, nil, "-json")
	w.atomvet("--", "-fix", "./a").want(t, 2, nil, "-fix")

	w.env = append(w.env, "PATH=")
	w.atomvet("./a").want(t, 2, none, "atomvet: cannot find the go command")
}

func TestHelp(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "")
	for _, args := range [][]string{{"help"}, {"-h"}, {"-help"}, {"--help"}} {
		r := w.atomvet(args...)
		r.want(t, 0, nil)
		for _, s := range []string{"report bad functions", "report evil variables", "-tests=false", "go vet -vettool="} {
			if !strings.Contains(r.stdout, s) {
				t.Errorf("%s does not say %q", args, s)
			}
		}
	}
	w.atomvet("help", "funcs").want(t, 0, lines(
		"funcs: report bad functions", "", "A second paragraph.", "", "https://example.com/funcs"))
	if r := w.atomvet("help", "funcs", "vars"); !strings.Contains(r.stdout, "-vars.strict (default false)\n\t\treport wicked") {
		t.Errorf("help of vars:\n%s", r.stdout)
	}
	w.atomvet("help", "vars", "nosuch").want(t, 2, lines(), `there is no detector "nosuch"`)
	if r := w.atomvet("version"); r.code != 0 || !strings.HasPrefix(r.stdout, "atomvet ") {
		t.Errorf("version: %v", r)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "")
	for arg, want := range map[string]string{
		"check-then-act":  "stalevalue/check-then-act: A decision is out of date",
		"R(a) W'(a) W(a)": "\t2. another one writes a\n",
	} {
		if r := w.atomvet("explain", arg); r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("explain %s: %v", arg, r)
		}
	}
	if r := w.atomvet("explain"); r.code != 0 || !strings.Contains(r.stdout, "viewconsistency/split-read") {
		t.Errorf("explain: %v", r)
	}
	w.atomvet("explain", "nosuch").want(t, 2, lines(), `there is no category "nosuch"`)
}

func TestFix(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	before, dep := w.read("fixme/z.go"), w.read("fixme/dep/dep.go")

	// Dependents first: the diff of the dependency must not be lost.
	r := w.atomvet("-fix", "-diff", "./fixme")
	r.want(t, 1, nil)
	if !strings.Contains(r.stdout, "+var good int") || strings.Contains(r.stdout, "dep.go") {
		t.Errorf("diff of fixme:\n%s", r.stdout)
	}
	r = w.atomvet("-fix", "-diff", "./fixme/dep")
	r.want(t, 1, nil)
	if !strings.Contains(r.stdout, "+var good int") || strings.Contains(r.stdout, "z.go") {
		t.Errorf("diff of fixme/dep:\n%s", r.stdout)
	}
	w.atomvet("-fix", "-diff", "./clean").want(t, 0, lines())
	w.atomvet("-fix", "-diff", "-tests=false", "./b").want(t, 0, lines())
	if w.read("fixme/z.go") != before || w.read("fixme/dep/dep.go") != dep {
		t.Error("-diff changed a file")
	}

	w.atomvet("-fix", "./fixme").want(t, 0, lines())
	if got, want := w.read("fixme/z.go"), strings.Replace(before, "evil", "good", 1); got != want {
		t.Errorf("fixed file is:\n%s\nwant:\n%s", got, want)
	}
	if w.read("fixme/dep/dep.go") != dep {
		t.Error("-fix changed a dependency")
	}
	w.atomvet("-fix", "./fixme/dep").want(t, 0, lines())
	if w.read("fixme/dep/dep.go") == dep {
		t.Error("-fix lost the fix of a package that was a dependency before")
	}
}

func TestSortDiff(t *testing.T) {
	const (
		a    = "--- a.go (old)\n+++ a.go (new)\n@@ -1 +1 @@\n--- x\n+++ x\n"
		b    = "--- b.go (old)\n+++ b.go (new)\n@@ -1 +1 @@\n-1\n+2\n"
		none = ""
	)
	for _, test := range []struct{ in, want string }{
		{none, none}, {a, a}, {b + a, a + b}, {a + b, a + b},
	} {
		if got := string(sortDiff([]byte(test.in))); got != test.want {
			t.Errorf("sortDiff(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// TestInterrupt checks that a signal stops the go command too, even one that atomvet cannot
// handle, and that the findings until then are printed.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "-- go.mod --\nmodule p\ngo 1.25\n-- a/a.go --\npackage a\nvar evil int\n"+
		"-- b/b.go --\npackage b\nimport _ \"p/a\"\n-- c/c.go --\npackage c\nimport _ \"p/b\"\n")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		if sig == syscall.SIGKILL && runtime.GOOS != "linux" {
			continue
		}
		w.forget()
		started := filepath.Join(t.TempDir(), "started")
		cmd := w.command(os.Args[0], "-vars", "-vars.slow="+started, "./...")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the units of a and b
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				if err := os.Remove(started); err == nil {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("no unit was started")
				}
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if sig == syscall.SIGKILL {
			time.Sleep(3 * time.Second) // more than what is left of the unit of b
		} else {
			result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}.want(t, 128+int(sig),
				lines("a/a.go:2:5: [vars] evil variable (fixable with -fix)"), "atomvet: interrupted: not all packages were checked")
		}
		// The unit of b was under way. That of c must not have been started.
		if _, statErr := os.Stat(started); statErr == nil {
			t.Errorf("%v: the go command went on after %v", sig, err)
		}
	}
}

// TestUnitFailures checks that a package that cannot be analyzed is named, with those that
// depend on it, and that the findings in others are reported.
func TestUnitFailures(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	w.atomvet("-vars", "-vars.fail", "./b", "./fixme").want(t, 2, lines("b/b_test.go:2:5: [vars] evil variable (fixable with -fix)",
		"fixme/z.go:5:5: [vars] evil variable (fixable with -fix)"),
		"atomvet: p/b: vars: out of order", "atomvet: p/b_test: vars: out of order")
	w.atomvet("-vars.exit=p/a", "./fixme", "./b").want(t, 2, nil, "# p/a", "fatal error: stack overflow")
}

// TestIncomplete checks that functions which were not analyzed in full are named on demand.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	found := lines("fixme/z.go:5:5: [vars] evil variable (fixable with -fix)")
	w.atomvet("-vars", "-vars.part", "./fixme").want(t, 1, found)
	w.atomvet("-vars", "-vars.part", "-v", "./fixme").want(t, 1, found, "atomvet: p/fixme: f is analyzed in part: more than 1 event\n")
	r := w.atomvet("-vars", "-vars.part", "-json", "./fixme")
	r.want(t, 1, nil)
	var doc struct{ Incomplete []remark }
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if want := []remark{{"p/fixme", "f", "more than 1 event"}}; !slices.Equal(doc.Incomplete, want) {
		t.Errorf("incomplete are %v, want %v", doc.Incomplete, want)
	}
	if r := w.govet("-vars", "-vars.part", "./fixme"); strings.Contains(r.stderr, "event") {
		t.Errorf("go vet reports a remark as a finding:\n%s", r.stderr)
	}
}

// TestLineDirectives checks that a file is a test by its own name.
func TestLineDirectives(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
-- go.mod --
module p
go 1.25
-- a.go --
package p
//line other_test.go:7
var evil int
-- a_test.go --
package p
//line other.go:9
var wicked int
-- x_test.go --
package p_test
//line another.go:11
var evil int
`)
	at := func(s string) string { return filepath.Join(w.dir, s) } // files that do not exist
	none, own := lines(), at("other_test.go:7: [vars] evil variable (fixable with -fix)")
	w.atomvet("-vars", "-vars.strict", "-tests=false").want(t, 1, lines(own))
	w.atomvet("-vars", "-vars.strict").want(t, 1, lines(at("another.go:11: [vars] evil variable (fixable with -fix)"), at("other.go:9: [vars] wicked variable (fixable with -fix)"), own))
	w.govet("-vars", "-vars.strict", "-tests=false").want(t, 1, none, "other_test.go:7: evil variable")
	if r := w.govet("-vars", "-vars.strict", "-tests=false"); strings.Contains(r.stderr, "wicked") {
		t.Errorf("a test is not taken for one:\n%s", r.stderr)
	}
}

// TestOldGo checks that a go command of an unsupported version is reported in one line.
func TestOldGo(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the go command is a shell script here")
	}
	w := newWorkspace(t, someFindings)
	w.write("bin/go", "#!/bin/sh\necho go1.25.3\n")
	if err := os.Chmod(filepath.Join(w.dir, "bin/go"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "PATH="+filepath.Join(w.dir, "bin"))
	r := w.atomvet("./...")
	r.want(t, 2, lines(), "the go command is go1.25.3; package patterns need Go 1.26")
	if n := strings.Count(r.stderr, "\n"); n != 1 {
		t.Errorf("%d lines:\n%s", n, r.stderr)
	}
}

// TestCutOff checks that output that ends in the middle has a message of its own, and that
// what comes before it counts.
func TestCutOff(t *testing.T) {
	t.Parallel()
	found := new(findings)
	err := found.read(strings.NewReader(`{"p": {"vars": [{"posn": "a.go:1:1", "message": "m"}]}} {"q": {"va`), func() {})
	if !errors.Is(err, errCutOff) || len(found.list) != 1 {
		t.Errorf("error %v, %d findings", err, len(found.list))
	}
	if err := reserve(filepath.Join(t.TempDir(), "nosuch"), "out"); err == nil {
		t.Error("there is room in a directory that does not exist")
	}
}

// TestVersion checks that the key of cached results follows the binary.
func TestVersion(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	one := w.atomvet("-V=full")
	one.want(t, 0, nil)
	if again := w.atomvet("-V=full"); again != one {
		t.Errorf("-V=full is not stable: %q, then %q", one.stdout, again.stdout)
	}

	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "a directory", "a name")
	if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o777); err != nil {
		t.Fatal(err)
	}
	if r := w.run(copied, "-V=full"); r != one {
		t.Errorf("-V=full of a copy is %q, want %q", r.stdout, one.stdout)
	}
	want := lines("a/a.go:2:6: [funcs/bad-function] BadA is bad", "a/a.go:1:1: \tin this package")
	w.run(copied, "./a").want(t, 1, want, "1 package, 1 finding")
	w.run("go", "vet", "-vettool="+copied, "./a").want(t, 1, lines(), "a/a.go:2:6: BadA is bad")

	if err := os.WriteFile(copied, append(data, 0), 0o777); err != nil {
		t.Fatal(err)
	}
	if r := w.run(copied, "-V=full"); r == one || r.code != 0 {
		t.Errorf("-V=full of another binary: %v", r)
	}
}

// TestStability checks that the output does not depend on what is cached.
func TestStability(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	first := w.atomvet("-json", "./...")
	first.want(t, 1, nil)
	if again := w.atomvet("-json", "./..."); again != first {
		t.Errorf("second run differs:\n%s\nfirst:\n%s", again.stdout, first.stdout)
	}
	w.forget()
	if again := w.atomvet("-json", "-p=1", "./..."); again != first {
		t.Errorf("run without cache differs:\n%s\nfirst:\n%s", again.stdout, first.stdout)
	}
}
