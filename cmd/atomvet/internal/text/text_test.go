package text_test

import (
	"os"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// TestPrint: the line of a finding says how many others it stands for, and that there is a fix; the
// whole expression is marked, on the line of the position.
func TestPrint(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.go", []byte("package p\n\nfunc f(s *T) {\n\ts.m[k] = v\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := report.Position{File: "a.go", Line: 4, Column: 5}
	list := []report.Finding{{
		Analyzer: "d", Category: "c", Position: at, End: report.Position{File: "a.go", Line: 4, Column: 8}, Message: "c: s.m[k] is stale",
		Fixes: []report.Fix{{Message: "mend it"}},
		Related: []report.Related{
			{Position: report.Position{File: "b.go", Line: 2}, Message: "also written here, by g"},
			{Position: at, Message: "also lost-update: s.n"},
			{Position: at, Message: "also c: s.o"},
		},
	}}
	for _, test := range []struct {
		style text.Style
		want  string
	}{
		{text.Style{Context: -1}, `a.go:4:5: [d/c] s.m[k] is stale (and 2 more with the same lock) (fixable with -fix)
b.go:2: 	also written here, by g
a.go:4:5: 	also lost-update: s.n
a.go:4:5: 	also c: s.o
`},
		{text.Style{Color: true}, "\x1b[1ma.go:4:5\x1b[m: \x1b[33m[d/c]\x1b[m s.m[k] is stale (and 2 more with the same lock)\x1b[32m (fixable with -fix)\x1b[m\n4\t\t\x1b[1;31ms.m[k]\x1b[m = v\n"},
	} {
		var b strings.Builder
		if err := text.Print(&b, list, test.style); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasPrefix(got, test.want) {
			t.Errorf("%+v: printed\n%q\nwant\n%q", test.style, got, test.want)
		}
	}
}
