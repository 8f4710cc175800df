package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// testSuite has programs of the paper, variants and twins, some of which have a
// row of their own.
func testSuite(t *testing.T) *suite {
	s := &suite{
		name:    "suite",
		Title:   "A suite",
		About:   "All about it.",
		Columns: []string{allDetectors, "stalevalue", "bla", "cwvariant"},
		Tables: []table{{
			Programs: []string{"zeta", "alpha"},
			Papers: []paper{
				{Name: "One", Fields: []string{"missed", "false"}, Total: figures{"missed": json.Number("7"), "false": json.Number("8")},
					Others: figures{"missed": json.Number("6"), "false": json.Number("3")}},
				{Name: "Two", Fields: []string{"bug"}},
			},
		}, {
			Title: "Empty", Programs: []string{"nosuch"},
		}, {
			Title: "Second", About: "About it.", Programs: []string{"eta"},
			Papers: []paper{{Name: "Three", Fields: []string{"x"}}},
		}},
	}
	add := func(name, expect string, reports ...testReport) {
		p := newProgram(t, expect, reports...)
		p.suite, p.name = s, name
		s.programs = append(s.programs, p)
	}
	add("alpha", `{"papers": {"One": {"missed": 1, "false": 5}, "Two": {"bug": "no"}}, "expect": {
			"bla": [{"at": 3, "in": "main", "category": "c", "label": "known-false", "why": "w"}, {"at": 3, "in": "main", "category": "c", "label": "benign", "why": "w"}],
			"viewconsistency": [{"at": 3, "in": "main", "category": "c", "label": "known-false", "why": "w"}]}}`,
		testReport{"bla", 3, "c"}, testReport{"bla", 3, "c"}, testReport{"viewconsistency", 3, "c"})
	add("alpha_false_ok", `{"expect": {"reacquire": [{"at": 8, "in": "(*T).f", "category": "c", "label": "known-false", "why": "w"}]}}`, testReport{"reacquire", 8, "c"})
	add("alpha_missed", `{`+oneViolation+`, "expect": {"stalevalue": [{"label": "known-missed", "violation": ["AV1"], "why": "w"}], `+blaMissed+`}}`)
	add("alpha_ok", `{}`)
	add("alpha_titled", `{"title": "Alpha – with a title"}`)
	add("alpha_wide_ok", `{}`)
	add("eta", `{"papers": {"Three": {"x": 1}}}`)
	add("eta_ok", `{}`)
	add("eta_narrow", `{}`)
	add("eta_wide", `{`+oneViolation+`, "expect": {"stalevalue": [`+atTrue+`], `+blaMissed+`}}`, testReport{"stalevalue", 8, "c"})
	add("zeta", `{"title": "Zeta – the last", `+oneViolation+`, "papers": {"One": {"missed": 0, "false": 0}}, "expect": {"stalevalue": [`+atTrue+`], `+blaMissed+`}}`,
		testReport{"stalevalue", 8, "c"}, testReport{"vc", 8, "c"})
	add("zeta_ok", `{"expect": {"cwvariant": [{"at": 8, "in": "(*T).f", "category": "c", "label": "benign", "why": "w"}]}}`, testReport{"cwvariant", 8, "c"})
	return s
}

func TestPrint(t *testing.T) {
	const want = `### A suite

All about it.

| program                     | AV | atomvet | stale | bla     | cw+     | *One* m/f | *Two* bug |
|-----------------------------|----|---------|-------|---------|---------|-----------|-----------|
| Zeta – the last             | 1  | 0/0     | 0/0   | 1/0     | –       | 0/0       |           |
| ¤alpha¤                     | 0  | 0/1     | –     | 0/1 (1) | –       | 1/5       | no        |
| ¤alpha_false_ok¤            | 0  | 0/1     | –     | –       | –       |           |           |
| ¤alpha_missed¤              | 1  | 1/0     | 1/0   | 1/0     | –       |           |           |
| Alpha – with a title        | 0  | –       | –     | –       | –       |           |           |
| 3 ¤_ok¤ twins               | 0  | –       | –     | –       | 0/0 (1) |           |           |
| programs not rebuilt        |    |         |       |         |         | 6/3       |           |
| **the paper's programs**    | 1  | 0/1     | 0/0   | 1/1 (1) | –       | 7/8       |           |
| **with variants and twins** | 2  | 1/2     | 1/0   | 2/1 (1) | 0/0 (1) |           |           |

#### Second

About it.

| program                     | AV | atomvet | stale | bla | cw+ | *Three* x |
|-----------------------------|----|---------|-------|-----|-----|-----------|
| ¤eta¤                       | 0  | –       | –     | –   | –   | 1         |
| 2 variants                  | 1  | 0/0     | 0/0   | 1/0 | –   |           |
| 1 ¤_ok¤ twin                | 0  | –       | –     | –   | –   |           |
| **the paper's programs**    | 0  | –       | –     | –   | –   |           |
| **with variants and twins** | 1  | 0/0     | 0/0   | 1/0 | –   |           |

Programs: 12, violations: 3, reports: 7, deviations from what is expected: 0.
`
	e := &evaluation{suites: []*suite{testSuite(t), {Title: "A suite without programs"}}}
	var out bytes.Buffer
	e.print(&out)
	got := strings.ReplaceAll(out.String(), "`", "¤")
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestTallyOfWhatIs checks that reports count, not expectations of reports.
func TestTallyOfWhatIs(t *testing.T) {
	const expect = `{` + oneViolation + `, "expect": {"stalevalue": [` + atTrue + `, {"at": 3, "in": "main", "category": "c", "label": "known-false", "why": "w"}], ` + blaMissed + `}}`
	for _, test := range []struct {
		reports []testReport
		want    string
	}{
		{nil, "1/0"},
		{[]testReport{{"stalevalue", 8, "c"}}, "0/0"},
		{[]testReport{{"stalevalue", 8, "d"}}, "1/0"}, // another report
		{[]testReport{{"stalevalue", 8, "c"}, {"stalevalue", 3, "c"}}, "0/1"},
	} {
		p := newProgram(t, expect, test.reports...)
		for _, column := range []string{allDetectors, "stalevalue"} {
			if got := p.tally(column).String(); got != test.want {
				t.Errorf("%v: %s in column %s, want %s", test.reports, got, column, test.want)
			}
		}
	}
}

func TestList(t *testing.T) {
	e := &evaluation{suites: []*suite{newProgram(t,
		`{`+oneViolation+`, "expect": {"stalevalue": [`+atTrue+`], `+blaMissed+`}}`,
		testReport{"stalevalue", 8, "c"}, testReport{"bla", 3, "c"}, testReport{"vc", 3, "c"}).suite}}
	var out bytes.Buffer
	e.list(&out)
	want := strings.ReplaceAll(`DIR/prog.go:8: stalevalue: true AV1: c: says so
DIR/prog.go:3: bla: ?: c: says so
DIR/prog.go:1: bla: known-missed AV1
`, "DIR", "testdata/papers/suite/prog")
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
