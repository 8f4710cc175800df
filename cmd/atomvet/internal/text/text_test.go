package text_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

const source = `package p

func (s *Server) stop() {
	s.running = false
	s.running = false
	s.running = false
}

func (s *Server) start() {
	s.running = true
}
`

// TestGather: findings of one function about one location are one, with a count. Another location,
// another function, or a finding without a related place is by itself.
func TestGather(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.go", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	add := func(line int, read string) report.Finding {
		f := report.Finding{
			Analyzer: "stalevalue", Category: "check-then-act", Package: "p", Message: "check-then-act: m",
			Position: report.Position{File: "a.go", Line: line, Column: 2},
		}
		if read != "" {
			f.Related = []report.Related{{Position: f.Position, Message: read}}
		}
		return f
	}
	list := []report.Finding{
		add(4, "s.running is read here"),
		add(4, "s.stopped is read here"),
		add(5, "s.running is read here"),
		add(5, ""),
		add(6, "s.running is read here"),
		add(6, ""),
		add(10, "s.running is read here"),
	}
	var out bytes.Buffer
	if err := text.Print(&out, list, text.Style{Context: -1}); err != nil {
		t.Fatal(err)
	}
	const want = `a.go:4:2: [stalevalue/check-then-act] m (and 2 more, in lines 5, 6)
a.go:4:2: 	s.running is read here
a.go:4:2: [stalevalue/check-then-act] m
a.go:4:2: 	s.stopped is read here
a.go:5:2: [stalevalue/check-then-act] m
a.go:6:2: [stalevalue/check-then-act] m
a.go:10:2: [stalevalue/check-then-act] m
a.go:10:2: 	s.running is read here
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
