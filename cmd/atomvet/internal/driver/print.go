package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// printText prints findings as go vet does: a line each, a line for each
// related position after a tab, and lines of source if context is not negative.
func printText(w io.Writer, list []finding, context int) error {
	out := bufio.NewWriter(w)
	source := make(map[string][]string)
	for _, f := range list {
		message := f.Message
		if len(f.Related) > 0 {
			// Further lines of a message are for those who are not shown the
			// related positions.
			message, _, _ = strings.Cut(message, "\n")
		}
		printLine(out, f.position, message)
		printSource(out, source, f.position, f.End, context)
		for _, r := range f.Related {
			printLine(out, r.position, "\t"+r.Message)
			printSource(out, source, r.position, r.End, context)
		}
	}
	return out.Flush()
}

func printLine(w io.Writer, p position, message string) {
	switch {
	case p.Column > 0:
		fmt.Fprintf(w, "%s:%d:%d: %s\n", p.File, p.Line, p.Column, message)
	case p.Line > 0:
		fmt.Fprintf(w, "%s:%d: %s\n", p.File, p.Line, message)
	default:
		fmt.Fprintf(w, "%s: %s\n", p.File, message)
	}
}

func printSource(w io.Writer, source map[string][]string, from, to position, context int) {
	if context < 0 || from.Line == 0 {
		return
	}
	lines, ok := source[from.File]
	if !ok {
		data, _ := os.ReadFile(from.File) // a file that is gone has no lines
		lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		source[from.File] = lines
	}
	last := max(from.Line, to.Line) + context
	for i := max(1, from.Line-context); i <= min(last, len(lines)); i++ {
		fmt.Fprintf(w, "%d\t%s\n", i, lines[i-1])
	}
}

// printJSON prints findings as one object.
func printJSON(w io.Writer, list []finding, incomplete []remark) error {
	var doc struct {
		Findings   []finding `json:"findings"`
		Incomplete []remark  `json:"incomplete,omitempty"`
	}
	doc.Incomplete = incomplete
	doc.Findings = append([]finding{}, list...) // never null
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

func (s *shortener) position(p *position) { p.File = s.path(p.File) }

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
