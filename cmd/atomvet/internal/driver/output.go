package driver

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/page"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/sarif"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// write prints findings on standard output, and into the files that flags name.
func (c *checker) write(list []finding, remarks []remark, refuted []refutation) error {
	for _, out := range []struct {
		name  string
		print func(io.Writer) error
	}{
		{c.opts.sarif, func(w io.Writer) error { return sarif.Print(w, list, toolVersion()) }},
		{c.opts.html, func(w io.Writer) error { return page.Print(w, list) }},
	} {
		if out.name == "" {
			continue
		}
		if err := writeFile(out.name, out.print); err != nil {
			return err
		}
	}
	if c.opts.json {
		return printJSON(os.Stdout, list, remarks, refuted)
	}
	return text.Print(os.Stdout, list, c.opts.style(os.Stdout))
}

func writeFile(name string, print func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(print(f), f.Close())
}

// printJSON prints findings as one object.
func printJSON(w io.Writer, list []finding, incomplete []remark, refuted []refutation) error {
	var doc struct {
		Findings   []finding    `json:"findings"`
		Incomplete []remark     `json:"incomplete,omitempty"`
		Refuted    []refutation `json:"refuted,omitempty"`
	}
	doc.Findings = append([]finding{}, list...) // never null
	doc.Incomplete = incomplete
	doc.Refuted = refuted
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(doc)
}

// A shortener makes paths relative to the current directory, by the rule of
// the go command: if that makes them shorter.
type shortener struct {
	dir  string
	seen map[string]string
}

func newShortener() *shortener {
	dir, _ := os.Getwd() // without it paths stay absolute
	return &shortener{dir: dir, seen: make(map[string]string)}
}

func (s *shortener) position(p *report.Position) { p.File = s.path(p.File) }

func (s *shortener) path(path string) string {
	short, ok := s.seen[path]
	if !ok {
		short = path
		if rel, err := filepath.Rel(s.dir, path); err == nil && len(rel) < len(path) && sameFile(rel, path) {
			short = rel
		}
		s.seen[path] = short
	}
	return short
}

// sameFile reports whether both names lead to one file. Relative names may not,
// if the current directory was reached by a symbolic link.
func sameFile(name1, name2 string) bool {
	info1, err1 := os.Stat(name1)
	info2, err2 := os.Stat(name2)
	return err1 == nil && err2 == nil && os.SameFile(info1, info2)
}
