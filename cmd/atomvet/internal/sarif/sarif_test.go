package sarif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/sarif"
)

const source = `package p

func (c *T) Get() {
	/* größer */ c.n = n
	c.n = n
	c.n = n
}
`

// write writes a file in the current directory, and returns a position in it: of the n-th
// occurrence of some text.
func write(t *testing.T, name, text string) func(what string, n int) (from, to report.Position) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return func(what string, n int) (from, to report.Position) {
		at := 0
		for range n {
			at += strings.Index(text[at:], what) + len(what)
		}
		before := text[:at-len(what)]
		line := strings.Count(before, "\n") + 1
		column := len(before) - strings.LastIndex(before, "\n")
		return report.Position{File: name, Line: line, Column: column}, report.Position{File: name, Line: line, Column: column + len(what)}
	}
}

func findings(t *testing.T, text string) []report.Finding {
	at := write(t, "a file.go", text)
	var out []report.Finding
	for n := 1; n <= 3; n++ {
		from, to := at("c.n", n)
		f := report.Finding{
			Analyzer: "stalevalue", Category: "lost-update", URL: "https://example.com/#lost-update", Package: "q/p",
			Position: from, End: to, Message: "lost-update: m[k] is lost\n\tfurther lines",
			Related: []report.Related{{Position: from, End: to, Message: "m[k] is read here"}, {Position: report.Position{File: "a file.go", Line: 1}, Message: "no column"}},
		}
		if n == 2 {
			f.Interleaving = &report.Interleaving{
				Goroutines: []string{"Get", "another Get", "idle"}, Outcome: "c.n is 1",
				Steps: []report.Step{
					{Goroutine: 0, Position: from, End: to, Message: "reads", State: "c.n = 0"},
					{Goroutine: 1, Position: from, End: to, Message: "writes", State: "c.n = 1"},
					{Goroutine: 0, Position: from, End: to, Message: "writes", State: "c.n = 1"},
				},
			}
		}
		out = append(out, f)
	}
	out = append(out, report.Finding{Analyzer: "atomicset", Category: "R(a) W'(a) W(a)", Package: "q/p",
		Position: report.Position{File: filepath.Join(string(filepath.Separator), "no where", "x.go")}, Message: "x [low confidence: y]"})
	return out
}

func print(t *testing.T, list []report.Finding) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Print(&b, list, "v1"); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at follows a path of members and indices.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for i, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			a, _ := v.([]any)
			if p >= len(a) {
				t.Fatalf("there is no %v", path[:i+1])
			}
			v = a[p]
		}
		if v == nil {
			t.Fatalf("there is no %v", path[:i+1])
		}
	}
	return v
}

var link = regexp.MustCompile(`(?:^|[^\\])\[[^\]]*\]\((\d+)\)`)

// official has the schema of SARIF 2.1.0, as OASIS has published it, among its test data.
const official = "github.com/securego/gosec/v2@v2.30.0"

// TestSchema validates a log against the schema, by a program of another module; and logs with a
// mistake, which it has to find.
func TestSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("fetches modules")
	}
	program := filepath.Join("testdata", "schema")
	validator := filepath.Join(t.TempDir(), "schema.exe")
	if out, err := exec.Command("go", "build", "-C", program, "-o", validator, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "mod", "download", "-C", program, "-json", official).Output()
	var module struct{ Dir, Error string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	schema := filepath.Join(module.Dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json")
	t.Chdir(t.TempDir())
	var log bytes.Buffer
	if err := sarif.Print(&log, findings(t, source), "v1"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"level"`, `"levels"`, "additional properties 'levels' not allowed"},
		{`"startLine": 4`, `"startLine": -4`, "minimum: got -4, want 1"},
	} {
		cmd := exec.Command(validator, schema)
		cmd.Stdin = strings.NewReader(strings.Replace(log.String(), test.old, test.new, 1))
		if out, err := cmd.CombinedOutput(); (err != nil) != (test.want != "") || !strings.Contains(string(out), test.want) {
			t.Errorf("with %s for %s: %v, %s, want %q", test.new, test.old, err, out, test.want)
		}
	}
}

// TestStructure checks what the schema cannot say.
func TestStructure(t *testing.T) {
	t.Chdir(t.TempDir())
	doc := print(t, findings(t, source))
	if v := at(t, doc, "version"); v != "2.1.0" {
		t.Errorf("version %v", v)
	}
	rules := at(t, doc, "runs", 0, "tool", "driver", "rules").([]any)
	if len(rules) != 2 {
		t.Errorf("%d rules, want 2", len(rules))
	}
	for i := range rules {
		if help := at(t, rules, i, "help", "markdown").(string); !strings.Contains(help, "How to mend it") {
			t.Errorf("the help of rule %v is %q", at(t, rules, i, "id"), help)
		}
	}
	results := at(t, doc, "runs", 0, "results").([]any)
	if len(results) != 4 {
		t.Errorf("%d results, want 4", len(results))
	}
	for _, r := range results {
		index := int(at(t, r, "ruleIndex").(float64))
		if id := at(t, rules, index, "id"); id != at(t, r, "ruleId") {
			t.Errorf("rule %d is %v, and not %v", index, id, at(t, r, "ruleId"))
		}
		u, err := url.Parse(at(t, r, "locations", 0, "physicalLocation", "artifactLocation", "uri").(string))
		if err != nil || u.Scheme != "" && u.Scheme != "file" {
			t.Errorf("URI %v, error %v", u, err)
		}
		var links, ids []string
		for _, m := range link.FindAllStringSubmatch(at(t, r, "message", "text").(string), -1) {
			links = append(links, m[1])
		}
		related, _ := r.(map[string]any)["relatedLocations"].([]any)
		for _, l := range related {
			ids = append(ids, strconv.Itoa(int(at(t, l, "id").(float64))))
		}
		if !slices.Equal(links, ids) {
			t.Errorf("links to %v, related locations %v", links, ids)
		}
	}
	if got, want := at(t, results, 0, "message", "text"), "m\\[k\\] is lost\n[a file.go:4](1): m\\[k\\] is read here\n[a file.go:1](2): no column"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if got, want := at(t, results, 3, "level"), "note"; got != want {
		t.Errorf("the level of a doubtful finding is %v, want %v", got, want)
	}
	if got := at(t, results, 3, "locations", 0, "physicalLocation", "artifactLocation", "uri"); got != "file:///no%20where/x.go" {
		t.Errorf("URI %v", got)
	}
}

// TestColumns: columns count code points.
func TestColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	doc := print(t, findings(t, source))
	region := at(t, doc, "runs", 0, "results", 0, "locations", 0, "physicalLocation", "region")
	want := map[string]any{"startLine": 4.0, "startColumn": 15.0, "endLine": 4.0, "endColumn": 18.0}
	if fmt.Sprint(region) != fmt.Sprint(want) {
		t.Errorf("region %v, want %v", region, want)
	}
}

// TestCodeFlow: an interleaving has a thread for each goroutine with steps, and an order.
func TestCodeFlow(t *testing.T) {
	t.Chdir(t.TempDir())
	doc := print(t, findings(t, source))
	threads := at(t, doc, "runs", 0, "results", 1, "codeFlows", 0, "threadFlows").([]any)
	var got []string
	for _, thread := range threads {
		line := at(t, thread, "message", "text").(string) + ":"
		for _, l := range at(t, thread, "locations").([]any) {
			line += fmt.Sprint(" ", at(t, l, "executionOrder"), at(t, l, "location", "message", "text"), at(t, l, "state", "memory", "text"))
		}
		got = append(got, line)
	}
	want := []string{"Get: 1 reads c.n = 0 3 writes c.n = 1", "another Get: 2 writes c.n = 1"}
	if strings.ReplaceAll(fmt.Sprint(got), " ", "") != strings.ReplaceAll(fmt.Sprint(want), " ", "") {
		t.Errorf("threads %q, want %q", got, want)
	}
}

// TestFingerprints: they do not depend on lines, and differ between findings.
func TestFingerprints(t *testing.T) {
	t.Chdir(t.TempDir())
	prints := func(text string) []string {
		var out []string
		for _, r := range at(t, print(t, findings(t, text)), "runs", 0, "results").([]any) {
			out = append(out, at(t, r, "partialFingerprints", "atomvet/v1").(string))
		}
		return out
	}
	before := prints(source)
	after := prints(strings.Replace(source, "func", "// A comment.\nvar x int\n\nfunc", 1))
	if !slices.Equal(before, after) {
		t.Errorf("fingerprints %q, and after an edit elsewhere %q", before, after)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(before))); len(sorted) != len(before) {
		t.Errorf("fingerprints are equal: %q", before)
	}
	if renamed := prints(strings.Replace(source, "Get", "Put", 1)); renamed[0] == before[0] {
		t.Error("another function has the same fingerprint")
	}
}

func TestEmpty(t *testing.T) {
	doc := print(t, nil)
	if results := at(t, doc, "runs", 0, "results").([]any); len(results) != 0 {
		t.Errorf("results %v", results)
	}
	at(t, doc, "runs", 0, "tool", "driver", "rules")
}
