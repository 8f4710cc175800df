package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestIsTool(t *testing.T) {
	for _, test := range []struct {
		args string
		want bool
	}{
		{"-V=full", true},
		{"-flags", true},
		{"-json -x /tmp/vet.cfg", true},
		{"", false},
		{"-v -run connection", false},
	} {
		if got := isTool(strings.Fields(test.args)); got != test.want {
			t.Errorf("%q: %v", test.args, got)
		}
	}
}

func TestParseReports(t *testing.T) {
	const unit = `{"example.com/p": {"bla": [
		{"category": "escape", "posn": "/m/p/p.go:7:2", "message": "escape: b"},
		{"category": "lost-update", "posn": "/m/p/p.go:7:2", "message": "lost-update: not for this mode"},
		{"category": "escape", "posn": "/m/p/p_test.go:7:2", "message": "escape: in a test"},
		{"category": "escape", "posn": "/m/p/p.go:3:5", "end": "/m/p/p.go:3:6", "message": "escape: a", "related": []}
	]}}`
	got, err := parseReports(strings.NewReader("{}\n"+unit+"\n"+unit), "/m")
	if err != nil {
		t.Fatal(err)
	}
	want := []report{
		{"bla", "p/p.go", 3, 5, "escape", "escape: a"},
		{"bla", "p/p.go", 7, 2, "escape", "escape: b"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestParseBadReports(t *testing.T) {
	diagnostic := func(mode, posn, category string) string {
		return fmt.Sprintf(`{"p": {%q: [{"category": %q, "posn": %q, "message": "says so"}]}}`, mode, category, posn)
	}
	for _, test := range []struct{ in, says string }{
		{"", "checked nothing"},
		{"# p\n{}", "unexpected output"},
		{`{"p": 1}`, "unexpected output"},
		{`{"p": {"vc": {"error": "it broke"}}}`, "p: vc: it broke"},
		{`{"p": {"vc": 1}}`, "p: vc: "},
		{diagnostic("nosuch", "/m/p.go:1:1", ""), "p: nosuch: no such mode"},
		{diagnostic("vc", "/m/p.go:1", ""), "position"},
		{diagnostic("vc", "p.go", ""), "position"},
		{diagnostic("vc", "/m/p.go:1:1", "failure"), "p: vc: says so"},
	} {
		if got, err := parseReports(strings.NewReader(test.in), "/m"); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, %v; want %q", test.in, got, err, test.says)
		}
	}
}
