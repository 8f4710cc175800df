package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	p := newProgram(t, `{"title": "Prog", `+oneViolation+`, "papers": {"B": {"n": 1}, "A": {"x": "<y>", "n": 2}}, "note": "n", "expect": {
		"bla": [{"label": "known-missed", "violation": ["AV1"], "why": "not \"seen\" & so on"}],
		"cw": [{"at": 8, "in": "(*T).f", "category": "c", "label": "known-false", "why": "out of scope"}],
		"stalevalue": [
			{"at": 11, "in": "wrong", "category": "c", "label": "benign", "why": "stays"},
			{"at": 3, "in": "main", "category": "other", "label": "benign", "why": "goes"},
			{"at": 8, "in": "(*T).f", "category": "c", "label": "known-false", "why": "goes"},
			`+atTrue+`]}}`,
		testReport{"stalevalue", 11, "c"}, testReport{"stalevalue", 3, "c"}, testReport{"stalevalue", 8, "c"},
		testReport{"reacquire", 6, "c"}, testReport{"cw", 6, "c"}, testReport{"vc", 6, "c"})
	p.Expect["stalevalue"][2].At = 9
	p.update()
	const want = `{
	"title": "Prog",
	"violations": [
		{"id":"AV1","in":"(*T).f","first":6,"second":8,"what":"it breaks"}
	],
	"papers": {
		"A": {"n":2,"x":"<y>"},
		"B": {"n":1}
	},
	"note": "n",
	"expect": {
		"stalevalue": [
			{"at":3,"in":"main","category":"c","label":"?"},
			{"at":8,"in":"(*T).f","category":"c","label":"true","violation":["AV1"]},
			{"at":11,"in":"(T).g","category":"c","label":"benign","why":"stays"}
		],
		"reacquire": [
			{"at":6,"in":"(*T).f","category":"c","label":"?"}
		],
		"bla": [
			{"label":"known-missed","violation":["AV1"],"why":"not \"seen\" & so on"}
		]
	}
}
`
	got := string(p.format())
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}

	again := newProgram(t, got)
	again.reports = p.reports
	again.update()
	if s := string(again.format()); s != got {
		t.Errorf("after another update:\n%s", s)
	}
}

// TestUpdateMoved checks that labels go with reports that have moved, but only if
// all of the kind have.
func TestUpdateMoved(t *testing.T) {
	const before = `{"expect": {"bla": [
		{"at": 6, "in": "(*T).f", "category": "c", "label": "benign", "why": "one"},
		{"at": 7, "in": "(*T).f", "category": "c", "label": "benign", "why": "two"},
		{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "three"},
		{"at": 6, "in": "(*T).f", "category": "d", "label": "benign", "why": "other"}]}}`
	for _, test := range []struct {
		reports []testReport
		want    string
	}{
		{[]testReport{{"bla", 5, "c"}, {"bla", 6, "d"}, {"bla", 7, "c"}, {"bla", 9, "c"}}, "5 c one, 6 d other, 7 c two, 9 c three"},
		{[]testReport{{"bla", 5, "c"}, {"bla", 6, "c"}, {"bla", 7, "c"}, {"bla", 8, "d"}}, "5 c three, 6 c one, 7 c two, 8 d other"},
		{[]testReport{{"bla", 5, "c"}, {"bla", 9, "c"}}, "5 c , 9 c "},
		{[]testReport{{"bla", 3, "c"}, {"bla", 6, "e"}}, "3 c , 6 e "},
	} {
		p := newProgram(t, before, test.reports...)
		p.update()
		var got []string
		for _, e := range p.Expect["bla"] {
			got = append(got, fmt.Sprint(e.At, " ", e.Category, " ", e.Why))
			if (e.Label == unlabelled) != (e.Why == "") || e.In != p.function(e.At) {
				t.Errorf("%+v", e)
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%v: %s, want %s", test.reports, s, test.want)
		}
	}
}

// TestUpdateFolds checks that equal entries become one, and that those with
// another label in between do not.
func TestUpdateFolds(t *testing.T) {
	p := newProgram(t, `{"expect": {"bla": [
		{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "one"},
		{"at": 8, "times": 2, "in": "(*T).f", "category": "c", "label": "benign", "why": "one"},
		{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "two"},
		{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "one"}]}}`,
		slices.Repeat([]testReport{{"bla", 8, "c"}}, 7)...)
	p.update()
	var got []string
	for _, e := range p.Expect["bla"] {
		got = append(got, fmt.Sprint(e.Times, " ", e.Label, " ", e.Why))
	}
	if s, want := strings.Join(got, ", "), "3 benign one, 0 benign two, 0 benign one, 2 ? "; s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func TestFormatEmpty(t *testing.T) {
	p := newProgram(t, `{"violations": [], "papers": {}, "expect": {"bla": []}}`)
	p.update()
	if got, want := string(p.format()), "{\n\t\"violations\": [],\n\t\"expect\": {}\n}\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUpdateFiles(t *testing.T) {
	root := t.TempDir()
	newIn := func(name, expect string) *program {
		p := newProgram(t, expect, testReport{"bla", 3, "c"})
		p.name = name
		if err := os.MkdirAll(filepath.Join(root, p.dir()), 0o777); err != nil {
			t.Fatal(err)
		}
		return p
	}
	absent := newIn("absent", `{}`)
	absent.data, absent.broken = nil, &deviation{absent.expectPath(), 1, "absent"}
	same := newIn("same", "") // is not written, so there is no file
	same.broken, same.data = nil, absent.format()
	same.reports = nil
	same.update()
	same.data = same.format()
	e := &evaluation{root: root, suites: []*suite{{programs: []*program{absent, same}}}}
	if err := e.update(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, absent.expectPath()))
	if err != nil || !json.Valid(data) || !strings.Contains(string(data), `"bla": [`) {
		t.Errorf("%v: %s", err, data)
	}
	if _, err := os.Stat(filepath.Join(root, same.expectPath())); err == nil {
		t.Error("a file that is as it should be was written")
	}
	wantDeviations(t, absent.deviations(), []string{absent.file[len("testdata/papers/suite/prog/"):] + ":3: bla: unlabelled report: c: says so"})

	broken := newIn("broken", `{"title"`)
	e.suites[0].programs = []*program{broken}
	if err := e.update(); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("%v for a file that cannot be parsed", err)
	}
}

func TestReadmeSplit(t *testing.T) {
	root := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := place{"README.md", readmeBegin, readmeEnd}
	write("a\n" + readmeBegin + "b\n" + readmeEnd + "c\n")
	before, table, after, err := r.split(root)
	if string(before) != "a\n" || string(table) != "b\n" || string(after) != "c\n" || err != nil {
		t.Errorf("%q, %q, %q, %v", before, table, after, err)
	}
	for _, text := range []string{"", readmeBegin, readmeEnd, readmeEnd + readmeBegin} {
		write(text)
		if _, _, _, err := r.split(root); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}
