package rule_test

import (
	"flag"
	"fmt"
	"go/token"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/rule"
)

// A number is a candidate at the line of that number.
type number int

func (n number) String() string         { return fmt.Sprintf("number %d", n) }
func (n number) Positions() []token.Pos { return []token.Pos{token.NoPos, token.Pos(10*n + 1)} }
func (n number) Remarks() []string      { return []string{"a remark"} }

var numbers = rule.Set[number]{
	{ID: "small", Kind: rule.Reports, Mechanism: rule.Definition, Holds: func(n number) bool { return n < 10 }},
	{ID: "any", Kind: rule.Reports, Mechanism: rule.Definition, Holds: func(n number) bool { return true }},
	{ID: "positive", Kind: rule.Requires, Mechanism: rule.Definition, Holds: func(n number) bool { return n > 0 }},
	{ID: "even", Kind: rule.Excludes, Mechanism: rule.Monotone, Holds: func(n number) bool { return n%2 == 0 }},
	{
		ID: "prime", Kind: rule.Requires, Mechanism: rule.Hint,
		For:   func(n number) bool { return n == 15 || n == 17 || n == -15 },
		Holds: func(n number) bool { return n == 17 },
	},
	{ID: "large", Kind: rule.Doubts, Mechanism: rule.Distance, Doubt: "it is large", Holds: func(n number) bool { return n > 10 }},
	{ID: "huge", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: "it is huge", Holds: func(n number) bool { return n > 100 }},
}

func id(r *rule.Rule[number]) string {
	if r == nil {
		return ""
	}
	return r.ID
}

func TestRejecting(t *testing.T) {
	for n, want := range map[number]string{-1: "positive", -2: "positive", 2: "even", 3: "", 101: "", 15: "prime", 17: ""} {
		if got := id(numbers.Rejecting(nil, n)); got != want {
			t.Errorf("%d is rejected by %q, want %q", n, got, want)
		}
	}
}

func TestReporting(t *testing.T) {
	for n, want := range map[number]string{-1: "small", 11: "any"} {
		if got := id(numbers.Reporting(nil, n)); got != want {
			t.Errorf("%d is made by %q, want %q", n, got, want)
		}
	}
}

func TestDoubts(t *testing.T) {
	for n, want := range map[number]string{3: "[]", 11: "[{it is large false}]", 101: "[{it is large false} {it is huge true}]"} {
		if got := fmt.Sprint(numbers.Doubts(nil, n)); got != want {
			t.Errorf("%d: doubts %s, want %s", n, got, want)
		}
	}
}

// newFlags returns the flags of an analyzer with the rules, as set by args.
func newFlags(t *testing.T, args ...string) *rule.Flags {
	t.Helper()
	f, fs := new(rule.Flags), flag.NewFlagSet("", flag.ContinueOnError)
	f.Register(fs, numbers.List())
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWithout(t *testing.T) {
	j := newFlags(t, "-without=even,large,small").Judge(nil)
	if r := numbers.Rejecting(j, 2); r != nil {
		t.Errorf("rejected by %s", r.ID)
	}
	if got := id(numbers.Reporting(j, 2)); got != "any" {
		t.Errorf("made by %q", got)
	}
	if got := len(numbers.Doubts(j, 101)); got != 1 {
		t.Errorf("%d doubts, want 1", got)
	}
	if r := numbers.Rejecting(newFlags(t).Judge(nil), 2); r == nil {
		t.Error("the set has changed")
	}
}

func TestFlagErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"-without=odd": `there is no rule "odd"`,
		"-why=file.go": "want FILE:LINE",
		"-why=:7":      "want FILE:LINE",
		"-why=f.go:0":  "want FILE:LINE",
		"-why=f.go:x":  "want FILE:LINE",
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		new(rule.Flags).Register(fs, numbers.List())
		if err := fs.Parse([]string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", arg, err, want)
		}
	}
}

func TestFlagStrings(t *testing.T) {
	f, fs := new(rule.Flags), flag.NewFlagSet("", flag.ContinueOnError)
	f.Register(fs, numbers.List()[:2], numbers.List()[2:])
	for name, value := range map[string]string{"without": "even,large", "why": "a/f.go:7"} {
		if err := fs.Set(name, value); err != nil {
			t.Fatal(err)
		}
		if got := fs.Lookup(name).Value.String(); got != value {
			t.Errorf("-%s is %q, want %q", name, got, value)
		}
		if err := fs.Set(name, ""); err != nil || fs.Lookup(name).Value.String() != "" {
			t.Errorf("-%s= does not take it back: %v", name, err)
		}
	}
	if n := len(f.Rules()); n != len(numbers) {
		t.Errorf("%d rules, want %d", n, len(numbers))
	}
}

// pass returns a pass over a file a/b.go with lines of ten bytes, and what it reports.
func pass() (*analysis.Pass, *[]analysis.Diagnostic) {
	var got []analysis.Diagnostic
	fset := token.NewFileSet()
	file := fset.AddFile("/x/a/b.go", 1, 5000)
	for n := range 500 {
		file.AddLine(10 * n)
	}
	return &analysis.Pass{Fset: fset, Report: func(d analysis.Diagnostic) { got = append(got, d) }}, &got
}

func TestWhy(t *testing.T) {
	for _, test := range []struct {
		n    number
		args string
		want string
	}{
		{3, "", "reported, with high confidence"},
		{103, "", "reported, with medium confidence|doubted by large (doubts, distance): it is large|doubted by huge (doubts strongly, distance): it is huge"},
		{102, "-without=large", "silenced by even (excludes, monotone)|doubted by huge (doubts strongly, distance): it is huge"},
		{104, "-without=even", "reported, with medium confidence|doubted by large (doubts, distance): it is large|doubted by huge (doubts strongly, distance): it is huge"},
		{15, "", "silenced by prime (requires, hint)|doubted by large (doubts, distance): it is large"},
	} {
		p, got := pass()
		args := []string{fmt.Sprintf("-why=a/b.go:%d", test.n+1)}
		if test.args != "" {
			args = append(args, test.args)
		}
		j := newFlags(t, args...).Judge(p)
		for n := range number(200) {
			if accepted := rule.Accept(j, numbers, n); accepted != (numbers.Rejecting(j, n) == nil) {
				t.Errorf("%d is accepted: %t", n, accepted)
			}
		}
		if len(*got) != 1 {
			t.Errorf("%v: %d explanations, want 1", args, len(*got))
			continue
		}
		want := fmt.Sprintf("why: number %d\n\t%s\n\ta remark", test.n, strings.ReplaceAll(test.want, "|", "\n\t"))
		if d := (*got)[0]; d.Message != want || d.Category != rule.Why || d.Pos != token.Pos(10*test.n+1) {
			t.Errorf("explained at %v, %s: %s\nwant: %s", d.Pos, d.Category, d.Message, want)
		}
	}
}

// TestWhyFile: a file is named by the last elements of its path.
func TestWhyFile(t *testing.T) {
	for file, want := range map[string]bool{"b.go": true, "./b.go": true, "a/b.go": true, "/x/a/b.go": true, "/a/b.go": true, ".go": false, "c/b.go": false} {
		p, got := pass()
		newFlags(t, "-why="+file+":4").Judge(p).Note(number(3), "it is left out")
		if found := len(*got) == 1; found != want {
			t.Errorf("%s: explained %t, want %t", file, found, want)
		}
	}
}

func TestList(t *testing.T) {
	var ids []string
	for _, info := range numbers.List() {
		ids = append(ids, info.ID)
	}
	if want := []string{"small", "any", "positive", "even", "prime", "large", "huge"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}
