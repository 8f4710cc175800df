package spelling_test

import (
	"go/format"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/spelling"
)

const all = spelling.Mirrored | spelling.Negated | spelling.Compared | spelling.Lengths | spelling.Inverted | spelling.Named

func TestRewrite(t *testing.T) {
	for _, row := range []struct {
		style     spelling.Style
		src, want string
		places    int
	}{
		{spelling.Mirrored, `if x == nil { a() }`, `if nil == x { a() }`, 1},
		{spelling.Mirrored, `if n >= 1 && s != "" { a() }`, `if 1 <= n && "" != s { a() }`, 2},
		{spelling.Mirrored, `return x == y || nil == x`, `return x == y || nil == x`, 0},
		{spelling.Negated, `return x == y, x < y`, `return !(x != y), x < y`, 1},
		{spelling.Negated, `for x != nil { a() }`, `for !(x == nil) { a() }`, 1},
		{spelling.Compared, `if !ok { a(!ok) }`, `if (ok == false) { a(!ok) }`, 1},
		{spelling.Compared, `if !(ok && !x.done) { a() }`, `if !(ok && (x.done == false)) { a() }`, 1},
		{spelling.Compared, `if -n < 0 && f(!ok) { a() }`, `if -n < 0 && f(!ok) { a() }`, 0},
		{spelling.Compared, `for i := 0; !ok; i++ { a() }`, `for i := 0; (ok == false); i++ { a() }`, 1},
		{spelling.Compared, `for ; !ok; i++ { a() }; for { a() }`, `for ; (ok == false); i++ { a() }; for { a() }`, 1},
		{spelling.Compared, `for i := 0; !ok; { a() }`, `for i := 0; (ok == false); { a() }`, 1},
		{spelling.Lengths, `return len(x) == 0, len(x) != 0, len(x) > 0, len(x) > 1, size(x) == 0, x.len() == 0`,
			`return len(x) < 1, len(x) > 0, len(x) != 0, len(x) > 1, size(x) == 0, x.len() == 0`, 3},
		{spelling.Inverted, `if ok { a() } else { b() /* c */ }`, `if !(ok) { b() /* c */ } else { a() }`, 1},
		{spelling.Inverted, `if ok { a() } else if x := f(); x { b() }`, `if !(ok) { if x := f(); x { b() } } else { a() }`, 1},
		{spelling.Named, `if x == nil { a() } else if ok { b() }`, `{ named1 := x == nil; if named1 { a() } else if ok { b() } }`, 1},
		{spelling.Named, `if x := f(); x != nil { a() } else if done() { b() }`,
			`{ x := f(); named2 := x != nil; if named2 { a() } else { { named1 := done(); if named1 { b() } } } }`, 2},
		{all, `if len(x) == 0 { if !ok { a() } } else { b() }`,
			`{ named2 := !(1 > len(x)); if named2 { b() } else { { named1 := (ok == false); if named1 { a() } } } }`, 6},
	} {
		got, places, err := spelling.Rewrite("p.go", []byte(source(row.src)), row.style)
		if err != nil {
			t.Errorf("%s: %v", row.src, err)
		}
		if pretty(t, string(got)) != pretty(t, source(row.want)) || places != row.places {
			t.Errorf("%s: %d places of %d\n%s", row.src, places, row.places, got)
		}
	}
	if _, _, err := spelling.Rewrite("p.go", []byte("package"), all); err == nil {
		t.Error("what is no program is rewritten")
	}
}

// source is a file with a comment at each end.
func source(body string) string {
	return "// Package p is small.\npackage p\n\nfunc f() {\n" + body + "\n}\n\n// end\n"
}

// pretty is a source without line breaks, in the form of gofmt.
func pretty(t *testing.T, src string) string {
	t.Helper()
	out, err := format.Source([]byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(string(out), "\n", " ; ")), " ")
}
