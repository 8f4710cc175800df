package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// testSource has its violation in (*T).f, between lines 5 and 7.
const testSource = `package p

func main() {}

func (t *T[K]) f() {
	get()

	set()
}

func (T) g() {}
`

// A testReport says only what a test is about.
type testReport struct {
	mode     string
	line     int
	category string
}

// newProgram returns a program of a suite with the columns atomvet, stalevalue
// and bla, with what is reported and what is expected.
func newProgram(t *testing.T, expect string, reports ...testReport) *program {
	t.Helper()
	s := &suite{
		name:    "suite",
		Columns: []string{allDetectors, "stalevalue", "bla", "cwvariant"},
		Tables:  []table{{Programs: []string{"listed"}, Papers: []paper{{Name: "A paper", Fields: []string{"missed", "false"}}}}},
	}
	p := &program{suite: s, name: "prog", file: "testdata/papers/suite/prog/prog.go", data: []byte(expect), reports: make(map[string][]report)}
	var err error
	if p.funcs, err = functions("prog.go", []byte(testSource)); err != nil {
		t.Fatal(err)
	}
	p.lines = strings.Split(testSource, "\n")
	p.parse()
	s.programs = append(s.programs, p)
	for _, r := range reports {
		p.reports[r.mode] = append(p.reports[r.mode], report{r.mode, p.file, r.line, 2, r.category, r.category + ": says so"})
	}
	return p
}

const oneViolation = `"violations": [{"id": "AV1", "in": "(*T).f", "first": 6, "second": 8, "what": "it breaks"}]`

const (
	atTrue    = `{"at": 8, "in": "(*T).f", "category": "c", "label": "true", "violation": ["AV1"]}`
	blaMissed = `"bla": [{"label": "known-missed", "violation": ["AV1"]}]`
)

func TestDeviations(t *testing.T) {
	found := testReport{"stalevalue", 8, "c"}
	for _, test := range []struct {
		name    string
		expect  string
		reports []testReport
		want    []string // lines, without the directory
	}{
		{"as expected",
			`{"title": "Prog", ` + oneViolation + `, "note": "n", "expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `}}`,
			[]testReport{found}, nil},
		{"reports of other modes do not matter",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `}}`,
			[]testReport{found, {"vc", 3, "c"}, {"cw", 8, "c"}}, nil},
		{"default reports matter in every suite",
			`{"expect": {}}`,
			[]testReport{{"reacquire", 3, "c"}},
			[]string{"prog.go:3: reacquire: report without an entry: c: says so"}},
		{"all labels",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `,
				{"at": 3, "in": "main", "category": "c", "label": "known-false", "why": "w"},
				{"at": 11, "in": "(T).g", "category": "c", "label": "benign", "why": "w"}], ` + blaMissed + `}}`,
			[]testReport{found, {"stalevalue", 3, "c"}, {"stalevalue", 11, "c"}}, nil},
		{"report without an entry",
			`{"expect": {"bla": []}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: report without an entry: c: says so"}},
		{"second report of the kind on the line",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `}}`,
			[]testReport{found, found},
			[]string{"prog.go:8: stalevalue: report without an entry: c: says so"}},
		{"two categories on one line",
			`{"expect": {"bla": [{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "w"},
				{"at": 8, "in": "(*T).f", "category": "d", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "d"}, {"bla", 8, "c"}}, nil},
		{"true without a report",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `}}`, nil,
			[]string{"prog.go:8: stalevalue: no report, but a true one is expected: c"}},
		{"known-false without a report",
			`{"expect": {"bla": [{"at": 3, "in": "main", "category": "c", "label": "known-false", "why": "w"}]}}`, nil,
			[]string{"prog.go:3: bla: no report, but a known-false one is expected: c"}},
		{"benign without a report",
			`{"expect": {"bla": [{"at": 3, "in": "main", "category": "c", "label": "benign", "why": "w"}]}}`, nil,
			[]string{"prog.go:3: bla: no report, but a benign one is expected: c"}},
		{"known-missed and reported",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `, {"label": "known-missed", "violation": ["AV1"]}], ` + blaMissed + `}}`,
			[]testReport{found},
			[]string{"prog.go:8: stalevalue: AV1 is known-missed, but it is reported"}},
		{"neither reported nor known-missed",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `]}}`,
			[]testReport{found},
			[]string{"prog.go:8: bla: AV1 is neither reported nor known-missed"}},
		{"known-missed twice",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], "bla": [{"label": "known-missed", "violation": ["AV1", "AV1"]}]}}`,
			[]testReport{found},
			[]string{"prog.go:8: bla: AV1 is known-missed more than once"}},
		{"wrong function",
			`{"expect": {"bla": [{"at": 8, "in": "T.f", "category": "c", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: the report is in (*T).f, not in T.f"}},
		{"outside of functions",
			`{"expect": {"bla": [{"at": 2, "in": "main", "category": "c", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 2, "c"}},
			[]string{"prog.go:2: bla: the report is in no function, not in main"}},
		{"wrong category",
			`{"expect": {"bla": [{"at": 8, "in": "(*T).f", "category": "d", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: the category is c, not d"}},
		{"unlabelled",
			`{"expect": {"bla": [{"at": 8, "in": "(*T).f", "category": "c", "label": "?"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: unlabelled report: c: says so"}},
		{"unknown violation",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `],
				"bla": [{"label": "known-missed", "violation": ["AV1"]},
				{"label": "known-missed", "violation": ["AV2"]},
				{"at": 8, "in": "(*T).f", "category": "c", "label": "true", "violation": ["AV3"]}]}}`,
			[]testReport{found, {"bla", 8, "c"}},
			[]string{"expect.json:3: bla: unknown violation AV2", "prog.go:8: bla: unknown violation AV3"}},
		{"unknown label",
			`{"expect": {"bla": [{"at": 8, "in": "(*T).f", "category": "c", "label": "false"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{`prog.go:8: bla: unknown label "false"`}},
		{"unknown mode",
			`{"expect": {
				"nosuch": []}}`, nil,
			[]string{"expect.json:2: unknown mode nosuch"}},
		{"mode that is no column",
			`{"expect": {"cw": [{"at": 8, "in": "(*T).f", "category": "c", "label": "?"}]}}`, nil,
			[]string{"expect.json:1: cw is not a column of the suite"}},
		{"true of nothing",
			`{"expect": {"bla": [{"at": 8, "in": "(*T).f", "category": "c", "label": "true"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: a true report names its violation"}},
		{"false of something, and without a reason",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `],
				"bla": [{"label": "known-missed", "violation": ["AV1"]}, {"at": 8, "in": "(*T).f", "category": "c", "label": "known-false", "violation": ["AV1"]}]}}`,
			[]testReport{found, {"bla", 8, "c"}},
			[]string{"prog.go:8: bla: a known-false report names a violation", "prog.go:8: bla: a known-false report says why"}},
		{"missed with a place",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `],
				"bla": [{"at": 8, "label": "known-missed", "violation": ["AV1"]}]}}`,
			[]testReport{found},
			[]string{"prog.go:8: bla: what is known-missed has a violation and no place"}},
		{"missed without a violation",
			`{"expect": {"bla": [{"label": "known-missed"}]}}`, nil,
			[]string{"expect.json:1: bla: what is known-missed has a violation and no place"}},
		{"missed by a detector that is no column",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], "reacquire": [{"label": "known-missed", "violation": ["AV1"]}], ` + blaMissed + `}}`,
			[]testReport{found},
			[]string{"expect.json:1: reacquire: known-missed, but reacquire is not a column of the suite"}},
		{"missed by a mode that only adds",
			`{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `, "cwvariant": [{"label": "known-missed", "violation": ["AV1"]}]}}`,
			[]testReport{found},
			[]string{"expect.json:1: cwvariant: known-missed, but cwvariant only adds to another mode"}},
		{"violation elsewhere",
			`{"violations": [{"id": "AV1", "in": "(T).f", "first": 2, "second": 8, "what": "it breaks"}],
				"expect": {"stalevalue": [` + atTrue + `], ` + blaMissed + `}}`,
			[]testReport{found},
			[]string{"prog.go:2: violation AV1 cannot have an access here", "prog.go:2: violation AV1 is said to begin here, in no function",
				"prog.go:8: violation AV1 is said to be in (T).f, but the line is in (*T).f"}},
		{"violations with one name, one without its effect",
			`{"violations": [{"id": "AV1", "in": "main", "first": 3, "second": 3, "what": "it breaks"}, {"id": "AV1", "in": "main", "first": 3, "second": 3, "what": ""}],
				"expect": {"stalevalue": [{"label": "known-missed", "violation": ["AV1"]}], ` + blaMissed + `}}`, nil,
			[]string{"prog.go:3: a violation needs an id and says what is wrong", "prog.go:3: there are two violations AV1"}},
		{"several in one entry",
			`{"expect": {"bla": [{"at": 8, "times": 2, "in": "(*T).f", "category": "c", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "c"}, {"bla", 8, "c"}}, nil},
		{"one of several",
			`{"expect": {"bla": [{"at": 8, "times": 2, "in": "(*T).f", "category": "c", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "c"}},
			[]string{"prog.go:8: bla: no report, but a benign one is expected: c"}},
		{"one more than several",
			`{"expect": {"bla": [{"at": 8, "times": 2, "in": "(*T).f", "category": "c", "label": "benign", "why": "w"}]}}`,
			[]testReport{{"bla", 8, "c"}, {"bla", 8, "c"}, {"bla", 8, "c"}},
			[]string{"prog.go:8: bla: report without an entry: c: says so"}},
		{"syntax error",
			"{\n\"violations\": [},\n\"expect\": {}}", nil,
			[]string{"expect.json:2: invalid character '}' looking for beginning of value"}},
		{"wrong type",
			"{\n\"title\": 1\n}", nil,
			[]string{"expect.json:2: json: cannot unmarshal number into Go struct field expectations.title of type string"}},
		{"unknown field",
			"{\n\n\"vilations\": []}", nil,
			[]string{`expect.json:3: json: unknown field "vilations"`}},
		{"more than one value",
			"{}{}", nil,
			[]string{"expect.json:1: more than one value"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantDeviations(t, newProgram(t, test.expect, test.reports...).deviations(), test.want)
		})
	}
}

func wantDeviations(t *testing.T, list []deviation, want []string) {
	t.Helper()
	var got []string
	for _, d := range list {
		got = append(got, strings.TrimPrefix(d.String(), "testdata/papers/suite/prog/"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("deviations\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestFigures(t *testing.T) {
	for _, test := range []struct {
		name, program string
		papers        string
		want          []string
	}{
		{"complete", "listed", `{"A paper": {"missed": 1, "false": "none"}}`, nil},
		{"lacking", "listed", `{"A paper": {"missed": 1}}`, []string{`the figures of A paper lack "false"`}},
		{"too many", "listed", `{"A paper": {"missed": 1, "false": 2, "true": 3}}`, []string{`the figures of A paper have no place for "true"`}},
		{"of another", "listed", `{"A paper": {"missed": 1, "false": 2}, "B": {}}`, []string{"the table has no column for B"}},
		{"none", "listed", `{}`, []string{"a program of the paper without its figures"}},
		{"not listed", "prog", `{"A paper": {"missed": 1, "false": 2}}`, []string{"figures of a program that suite.json does not list"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProgram(t, "{\n\"papers\":\n"+test.papers+"}")
			p.name = test.program
			var got []string
			for _, d := range p.deviations() {
				if d.line < 2 {
					t.Errorf("deviation at line %d", d.line)
				}
				got = append(got, d.text)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestTotals(t *testing.T) {
	s := newProgram(t, `{"papers": {"A paper": {"missed": 1, "false": 2}}}`).suite
	s.programs[0].name = "listed"
	s.data = []byte("{\n\"A paper\"}")
	paper := &s.Tables[0].Papers[0]
	s.Tables[0].Title = "Table 1"
	paper.Others = figures{"missed": json.Number("3")}
	for _, test := range []struct {
		missed json.Number
		want   []deviation
	}{
		{"4", nil},
		{"1", []deviation{{"testdata/papers/suite/suite.json", 2, `Table 1, A paper: "missed" of the programs adds up to 4, the total is 1`}}},
	} {
		paper.Total = figures{"missed": test.missed, "false": "?"}
		if got := s.checkTotals(); !slices.Equal(got, test.want) {
			t.Errorf("total %s: %v, want %v", test.missed, got, test.want)
		}
	}
}

func TestFunctionNames(t *testing.T) {
	funcs, err := functions("p.go", []byte(`package p
func f() {}
func (T) value() {}
func (t *T) pointer() {}
func (t T[K]) one() {}
func (t *T[K, V]) two() {
	g := func() {
	}
	g()
}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []function{{"f", 2, 2}, {"(T).value", 3, 3}, {"(*T).pointer", 4, 4}, {"(T).one", 5, 5}, {"(*T).two", 6, 10}}
	if !slices.Equal(funcs, want) {
		t.Errorf("%v, want %v", funcs, want)
	}
	if _, err := functions("p.go", []byte("package")); err == nil {
		t.Error("no error")
	}
}

func TestAccesses(t *testing.T) {
	const source = `package p
	x = 1 // a comment
	y()
	if z.get() {

	// a comment
	}
	} else {
	pause()
	mu.Lock()
	defer c.mu.Unlock()
	c.mu.RUnlock()
	block()
	s.lock.Block()
`
	p := &program{lines: strings.Split(source, "\n")}
	var got []int
	for line := range 30 {
		if p.accesses(line) {
			got = append(got, line)
		}
	}
	if want := []int{1, 2, 3, 4, 13, 14}; !slices.Equal(got, want) {
		t.Errorf("lines %d, want %d", got, want)
	}
}

func TestMarks(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"\tx = 1 // AV1: the first access", []string{"AV1"}},
		{"\tif a[i] == x { // AV1, AV2: the check; AV13: the read", []string{"AV1", "AV2", "AV13"}},
		{"// AV1: what happens", nil},
		{"\t// AV1", nil},
		{"\tx = 1 // want `R(a)`", nil},
		{"\tNAV1()", nil},
	} {
		if got := marks(test.line); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
	p := newProgram(t, `{`+oneViolation+`, "expect": {"stalevalue": [`+atTrue+`], `+blaMissed+`}}`, testReport{"stalevalue", 8, "c"})
	for _, line := range []int{3, 6, 8} {
		p.lines[line-1] += " // AV1"
	}
	p.lines[4] += " // AV2"
	wantDeviations(t, p.deviations(), []string{
		"prog.go:3: the comment says that there is an access of AV1 here, expect.json does not",
		"prog.go:5: the comment says that there is an access of AV2 here, expect.json does not",
	})
}
