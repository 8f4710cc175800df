package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func TestFlagsProtocol(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "")
	r := w.atomvet("-flags")
	r.want(t, 0, nil)
	var flags []struct {
		Name string
		Bool bool
	}
	if err := json.Unmarshal([]byte(r.stdout), &flags); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"funcs", "vars", "vars.strict", "vars.number", "tests", "json", standaloneFlag} {
		if !slices.ContainsFunc(flags, func(f struct {
			Name string
			Bool bool
		}) bool {
			return f.Name == name && f.Bool == (name != "vars.number" && name != standaloneFlag)
		}) {
			t.Errorf("no flag %s of the right type in %s", name, r.stdout)
		}
	}
}

func TestGoVet(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	r := w.govet("./b")
	r.want(t, 1, lines(), "b/b.go:3:6: BadB is bad\n", "b/b.go:3:17: use of a.BadA\n", "b/b_test.go:2:5: evil variable\n")
	w.govet("./clean").want(t, 0, lines())
	r = w.govet("-tests=false", "-vars", "-vars.strict", "./b")
	r.want(t, 1, lines(), "b/b.go:4:5: wicked variable\n")
	if strings.Contains(r.stderr, "evil") || strings.Contains(r.stderr, "bad") {
		t.Errorf("go vet with flags found:\n%s", r.stderr)
	}
	w.govet("-nosuch", "./b").want(t, 2, nil, "-nosuch")

	// In a dependency, fixes would go to the source files at once.
	dep := w.read("fixme/dep/dep.go")
	w.govet("-fix", "./fixme").want(t, 0, lines())
	if w.read("fixme/dep/dep.go") != dep {
		t.Error("go vet -fix changed a dependency")
	}
	if !strings.Contains(w.read("fixme/z.go"), "good") {
		t.Error("go vet -fix did not change the package")
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
-- garbage.cfg --
not JSON
-- array.cfg --
[]
-- empty.cfg --
{}
-- nofiles.cfg --
{"Compiler": "gc"}
-- missing.cfg --
{"Compiler": "gc", "GoFiles": ["nosuch.go"]}
-- imports.cfg --
{"Compiler": "gc", "GoFiles": ["imports.go"], "ImportMap": {"q": "q"}, "PackageFile": {"q": "garbage.cfg"}}
-- imports.go --
package p
import _ "q"
-- facts.cfg --
{"Compiler": "gc", "ImportPath": "p", "GoFiles": ["plain.go"], "PackageVetx": {"unsafe": "garbage.cfg"}, "VetxOutput": "/nosuch/out"}
-- plain.go --
package p
-- old.cfg --
{"Compiler": "gc", "GoFiles": ["plain.go"]}
`)
	for _, test := range []struct{ arg, says string }{
		{"nosuch.cfg", "nosuch.cfg"},
		{"garbage.cfg", "cannot decode garbage.cfg"},
		{"array.cfg", "cannot decode array.cfg"},
		{"empty.cfg", "empty.cfg: unknown compiler"},
		{"nofiles.cfg", "no files"},
		{"missing.cfg", "nosuch.go"},
		{"imports.cfg", "imports.go:2:10: could not import q"},
		{"facts.cfg", "/nosuch/out"},
	} {
		r := w.atomvet(test.arg)
		if r.code == 0 || !strings.Contains(r.stderr, test.says) || strings.Contains(r.stderr, "panic") {
			t.Errorf("%s: exit code %d, want a failure that says %q:\n%s", test.arg, r.code, test.says, r.stderr)
		}
	}
	w.atomvet("-standalone=report", "old.cfg").want(t, 2, lines(), "need Go 1.26")
}

// TestPrepareKeeps checks that the rewritten configuration loses nothing.
func TestPrepareKeeps(t *testing.T) {
	const text = `{"ID":"p","Compiler":"gc","VetxOnly":true,"Stdout":"out","Future":{"x":1}}`
	name := filepath.Join(t.TempDir(), "vet.cfg")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{}, {"-fix"}, {"--fix=1", "-" + standaloneFlag + "=" + reportAll}} {
		if got, err := prepare(name, flags, new(wishes)); got != name || err != nil {
			t.Errorf("prepare with %q = %s, %v; want the name unchanged", flags, got, err)
		}
	}
	got, err := prepare(name, []string{"-fix=false", "-" + standaloneFlag + "=" + reportAll}, new(wishes))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	var have, want map[string]any
	if err := json.Unmarshal(data, &have); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(text, "true", "false", 1)), &want); err != nil {
		t.Fatal(err)
	}
	h, _ := json.Marshal(have)
	if w, _ := json.Marshal(want); string(h) != string(w) {
		t.Errorf("configuration is %s, want %s", h, w)
	}
}

func TestNeedsReport(t *testing.T) {
	inTests := t.TempDir()
	for name, text := range map[string]string{"p.go": "package p\n", "p_test.go": "package p\n"} {
		if err := os.WriteFile(filepath.Join(inTests, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name    string
		cfg     unitchecker.Config
		variant string
		want    bool
	}{
		{"main module", unitchecker.Config{ModulePath: "m"}, "m/p", true},
		{"no variant", unitchecker.Config{ModulePath: "m"}, "", true},
		{"other module", unitchecker.Config{ModulePath: "m", ModuleVersion: "v1.0.0"}, "m/p", false},
		{"standard library", unitchecker.Config{}, "fmt", false},
		{"for the tests of another", unitchecker.Config{ModulePath: "m"}, "m/p [m/q.test]", false},
		{"Go 1.27, main", unitchecker.Config{Module: &analysis.Module{Main: true}}, "m/p", true},
		{"Go 1.27, other", unitchecker.Config{ModulePath: "m", Module: &analysis.Module{}}, "m/p", false},
		{"with tests", unitchecker.Config{ModulePath: "m", Dir: inTests, GoFiles: []string{filepath.Join(inTests, "p.go")}}, "m/p", false},
	} {
		if got := needsReport(&test.cfg, test.variant); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLastFlag(t *testing.T) {
	for _, test := range []struct {
		args  string
		value string
		ok    bool
	}{
		{"", "", false},
		{"-fixed -json", "", false},
		{"-fix", "true", true},
		{"-json --fix", "true", true},
		{"-fix=0", "false", true},
		{"-fix=T -fix=word", "word", true},
		{"fix", "", false},
	} {
		value, ok := lastFlag(strings.Fields(test.args), "fix")
		if value != test.value || ok != test.ok {
			t.Errorf("lastFlag(%q) = %q, %v; want %q, %v", test.args, value, ok, test.value, test.ok)
		}
	}
}

// TestGenerated: findings in generated files are shown only by flag.
func TestGenerated(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
-- go.mod --
module p
go 1.25
-- p.go --
package p
-- gen.go --
// Code generated by hand. DO NOT EDIT.

package p
var evil int
`)
	w.atomvet().want(t, 0, lines())
	w.govet().want(t, 0, lines())
	w.atomvet("-generated").want(t, 1, lines("gen.go:4:5: [vars] evil variable (fixable with -fix)"))
	w.govet("-generated").want(t, 1, lines(), "gen.go:4:5: evil variable")
}

// TestUnusedIgnores: what a comment silences may be found only if the package is analyzed
// with its tests.
func TestUnusedIgnores(t *testing.T) {
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
-- a/x_test.go --
//ignore tested
package a_test
-- b/b.go --
//ignore tested
package b
import _ "p/a"
`)
	b := lines("b/b.go:2:1: [ignores/no-effect] nothing to ignore")
	w.atomvet("./b").want(t, 1, b)
	w.atomvet("./a", "./b").want(t, 1, lines("a/x_test.go:2:1: [ignores/no-effect] nothing to ignore", strings.TrimSpace(*b)))
	w.atomvet("-unused-ignores=false", "./a", "./b").want(t, 0, lines())
	w.atomvet("-unused-ignores", "./b").want(t, 1, b)
	w.forget()
	w.govet("./b").want(t, 1, lines(), "b/b.go:2:1: no-effect")
	w.govet("-ignores=false", "./b").want(t, 0, lines())
}
