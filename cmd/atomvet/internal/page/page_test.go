package page_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/page"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

const source = `package p

func (s *Store[K]) Get(o *Other) string {
	s.n = "</pre><script>evil()</script>"
	return s.n
}

func free() { x() }
`

const evil = `</script><script>alert(1)</script>"'&`

func findings() []report.Finding {
	at := func(line, column, end int) (p, q report.Position) {
		return report.Position{File: "a.go", Line: line, Column: column}, report.Position{File: "a.go", Line: line, Column: end}
	}
	var out []report.Finding
	add := func(line int, category, message string, related ...string) *report.Finding {
		from, to := at(line, 2, 5)
		f := report.Finding{Analyzer: "stalevalue", Category: category, Package: "q/p", Position: from, End: to, Message: category + ": " + message}
		for _, r := range related {
			f.Related = append(f.Related, report.Related{Position: from, End: to, Message: r})
		}
		out = append(out, f)
		return &out[len(out)-1]
	}
	add(4, "lost-update", "x is lost", "s.n is read here", "s.mu is released here")
	add(5, "check-then-act", "x was checked, but s.mu was released "+evil)
	add(5, "stale-use", "x was read, but o.mu was released [low confidence: "+evil+"]")
	add(8, evil, evil)
	from, to := at(5, 2, 5)
	out[0].Interleaving = &report.Interleaving{
		Goroutines: []string{"Get" + evil, "Set"}, Outcome: evil + strings.Repeat("longName.", 20),
		Steps: []report.Step{{Goroutine: 0, Position: from, End: to, Message: evil, State: evil}, {Goroutine: 1, Position: from, End: to, Message: "writes " + strings.Repeat("longName.", 20)}},
	}
	return out
}

func print(t *testing.T, list []report.Finding) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.go", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Print(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements returns the elements of a page with their attributes and text, and checks that they
// are nested.
func elements(t *testing.T, text string) []xml.StartElement {
	t.Helper()
	// The text of style and script is not markup.
	text = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(text, "<$1></$1>")
	text = strings.Replace(text, "<!DOCTYPE html>", "", 1)
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []xml.StartElement
	var open []string
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			out = append(out, tok.Copy())
			open = append(open, tok.Name.Local)
		case xml.EndElement:
			if last := open[len(open)-1]; last != tok.Name.Local {
				t.Fatalf("<%s> ends with </%s>", last, tok.Name.Local)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
	return out
}

func count(list []xml.StartElement, name string) int {
	n := 0
	for _, e := range list {
		if e.Name.Local == name {
			n++
		}
	}
	return n
}

// TestEscaping: nothing in findings or source becomes markup, or part of the script.
func TestEscaping(t *testing.T) {
	text := print(t, findings())
	if n := count(elements(t, text), "script"); n != 1 {
		t.Errorf("%d scripts, want 1", n)
	}
	if strings.Count(text, "</script>") != 1 || strings.Contains(text, "<script>alert") || strings.Contains(text, "<script>evil") {
		t.Errorf("markup is not escaped:\n%s", text)
	}
	if n := strings.Count(text, "&lt;script&gt;alert(1)"); n < 8 {
		t.Errorf("the text is there %d times", n)
	}
	if !strings.Contains(text, "&lt;/pre&gt;&lt;script&gt;evil()") {
		t.Error("the line of source is missing")
	}
}

// TestStructure: groups by type and guard, what the filters go by, and nothing from elsewhere.
func TestStructure(t *testing.T) {
	text := print(t, findings())
	list := elements(t, text)
	var headings []string
	for _, m := range regexp.MustCompile(`<h2>(\S+) <small>(?:guarded by <code>(.*)</code>, )?q/p</small>`).FindAllStringSubmatch(text, -1) {
		headings = append(headings, m[1]+" "+m[2])
	}
	if want := []string{"functions ", "Other Other.mu", "Store Store.mu"}; !slices.Equal(headings, want) {
		t.Errorf("groups %q, want %q", headings, want)
	}
	confidences := ""
	for _, e := range list {
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "data-confidence":
				confidences += a.Value + " "
			case (a.Name.Local == "href" || a.Name.Local == "src") && !strings.HasPrefix(a.Value, "#"):
				t.Errorf("<%s> refers to %s", e.Name.Local, a.Value)
			}
		}
	}
	if confidences != "high low high high " {
		t.Errorf("confidences %q", confidences)
	}
	if n := count(list, "select"); n != 4 {
		t.Errorf("%d filters, want 4", n)
	}
	if n := count(list, "table"); n != 1 {
		t.Errorf("%d runs are shown, want 1", n)
	}
	if n := strings.Count(text, "<mark>s.n</mark>"); n < 1 {
		t.Error("no place is marked")
	}
	// Every link leads somewhere.
	for _, m := range regexp.MustCompile(`href="#(.*?)"`).FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "script") {
			continue // no category
		}
		if !strings.Contains(text, `id="`+strings.ReplaceAll(m[1], "%2f", "/")+`"`) {
			t.Errorf("there is no %s", m[1])
		}
	}
}

// TestOutline: a finding with anchors is drawn in lanes, in the order of time, and belongs to the type
// of its object. What the run shows is not listed again, but for another finding.
func TestOutline(t *testing.T) {
	at := func(line int) report.Position { return report.Position{File: "a.go", Line: line, Column: 2} }
	release := at(5)
	text := print(t, []report.Finding{{
		Analyzer: "stalevalue", Category: "check-then-act", Package: "q/p", Position: at(8), Message: "s.n was checked, but s.mu was released",
		Related: []report.Related{
			{Position: at(4), Message: "s.n is read here"},
			{Position: at(5), Message: "s.mu is released here"},
			{Position: at(8), Message: "also lost-update: s.n"},
			{Position: at(2), Message: "also written here"},
			{Position: at(3), Message: "also written here, by rival"},
		},
		Anchors: &report.Anchors{
			Unit: "free", Object: report.Object{Package: "q/p", Type: "Inner", Field: "n"},
			Check: report.Access{Position: at(4), Op: "read"}, Release: &release, Act: report.Access{Position: at(8), Op: "write"},
			Rivals: []report.Rival{{Func: "rival", Kind: "write", Access: at(3)}}, Interference: "write",
		},
	}})
	elements(t, text)
	if !strings.Contains(text, "<h2>Inner <small>guarded by <code>s.mu</code>") {
		t.Error("the group is not that of the object")
	}
	var rows []string
	for _, m := range regexp.MustCompile(`(?s)<td class="n">(\d)</td>(<td></td>)?<td class="step g(\d)">(.*?) <span`).FindAllStringSubmatch(text, -1) {
		rows = append(rows, m[1]+" in lane "+m[3]+": "+m[4])
	}
	want := []string{"1 in lane 0: reads Inner.n", "2 in lane 0: releases s.mu", "3 in lane 1: writes Inner.n", "4 in lane 0: writes Inner.n"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	_, list, _ := strings.Cut(text, "<ol>")
	list, _, _ = strings.Cut(list, "</ol>")
	if strings.Count(list, "<li>") != 2 || strings.Contains(list, "by rival") || !strings.Contains(list, "also lost-update") || !strings.Contains(list, "also written here") {
		t.Errorf("other places:\n%s", list)
	}
}

func TestEmpty(t *testing.T) {
	if text := print(t, nil); !strings.Contains(text, "Nothing was found.") {
		t.Errorf("the page is\n%s", text)
	}
}
