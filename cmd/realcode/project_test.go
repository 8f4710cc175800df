package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

func TestLoadErrors(t *testing.T) {
	with := func(reports string) string {
		return fmt.Sprintf("{\n\"project\": \"p\", \"commit\": \"c\", \"packages\": [\"./...\"],\n\"reports\": [%s]}", reports)
	}
	dir := t.TempDir()
	for _, test := range []struct{ text, says string }{
		{"", "p.json:1: EOF"},
		{"{\n\"project\" \"p\"}", "p.json:2: invalid character"},
		{"{\n\n\"project\": 1}", "p.json:3: json: cannot unmarshal number"},
		{"{\n\"comit\": \"c\"}", `p.json:2: json: unknown field "comit"`},
		{with("") + "{}", "more than one value"},
		{"{}", "p.json: a file needs project, commit and packages"},
		{with(`{"file": "a.go", "line": 3, "column": 2, "category": "c", "label": "maybe", "why": "w"}`), `p.json: report at a.go:3:2: unknown label "maybe"`},
		{with(`{"file": "a.go", "line": 3, "category": "c", "label": "", "why": "w"}`), `unknown label ""`},
		{with(`{"file": "a.go", "line": 3, "category": "c", "label": "benign"}`), "the label benign needs a reason"},
		{with(`{"file": "a.go", "line": 0, "category": "c", "label": "?"}`), "needs file, line and category"},
		{with(`{"file": "a.go", "line": 1, "label": "?"}`), "needs file, line and category"},
	} {
		write(t, filepath.Join(dir, "p.json"), test.text)
		if p, err := loadProject(dir, "p"); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, %v; want %q", test.text, p, err, test.says)
		}
	}
}

// TestLabels checks the files in testdata/realcode: -update must leave what people have
// written as it is, and true reports are explained in FOUND.md.
func TestLabels(t *testing.T) {
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, labelsDir)
	names := projects(dir)
	if len(names) < 17 {
		t.Errorf("projects %q", names)
	}
	explained := read(t, filepath.Join(dir, "FOUND.md"))
	for _, name := range names {
		p, err := loadProject(dir, name)
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := p.format()
		if err != nil || string(data) != read(t, p.file) || !slices.IsSortedFunc(p.Reports, compareReports) {
			t.Errorf("%s is not as -update would write it (%v)", name, err)
		}
		for _, r := range p.Reports {
			if place := fmt.Sprintf("%s:%d", r.File, r.Line); r.Label == isTrue && !strings.Contains(explained, place) {
				t.Errorf("FOUND.md lacks %s of %s", place, name)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	p := &project{
		Project: "a/b", Commit: "c", Packages: []string{"./...", "./d/..."}, Flags: []string{"-tags=x"}, Sample: "one of <two>",
		Reports: []report{
			{identity: identity{File: "b.go", Category: "k"}, Line: 1, Column: 2, Label: isTrue, Why: "a && b"},
			{identity: identity{"a.go", "(*T).m", "k", "t.x", "t.x <- 1"}, Line: 3, Label: isFalse, Mechanism: "m", Why: "w", message: "is not written"},
		},
	}
	const want = `{
	"project": "a/b",
	"commit": "c",
	"packages": ["./...","./d/..."],
	"flags": ["-tags=x"],
	"sample": "one of <two>",
	"reports": [
		{"file":"a.go","func":"(*T).m","category":"k","location":"t.x","text":"t.x <- 1","line":3,"column":0,"label":"false","mechanism":"m","why":"w"},
		{"file":"b.go","category":"k","line":1,"column":2,"label":"true","mechanism":"","why":"a && b"}
	]
}
`
	p.file = filepath.Join(t.TempDir(), "p.json")
	if err := p.write(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, p.file); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
