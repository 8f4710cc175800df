package rule

import (
	"flag"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Flags are the flags by which the rules of a detector can be inspected:
//
//	-without=ID,…    leaves rules out
//	-why=FILE:LINE   explains the candidates at a line, in diagnostics of category "why":
//	                 which rule has silenced, doubted or reported them
type Flags struct {
	rules   []Info
	without []string
	why     place
}

// Register adds the flags to those of an analyzer with the given rules.
func (f *Flags) Register(flags *flag.FlagSet, rules ...[]Info) {
	f.rules = slices.Concat(rules...)
	flags.Var((*ids)(f), "without", "leave out the rules with these `IDs`, separated by commas")
	flags.Var(&f.why, "why", "explain what is decided about the accesses at `FILE:LINE`, by which rules")
}

// Rules lists the rules of the analyzer.
func (f *Flags) Rules() []Info { return f.rules }

// Judge returns a Judge that applies the rules in a pass of the analyzer.
func (f *Flags) Judge(pass *analysis.Pass) *Judge {
	return &Judge{pass: pass, without: f.without, why: f.why}
}

// ids is the value of the flag -without.
type ids Flags

// String returns the identifiers, separated by commas.
func (v *ids) String() string { return strings.Join(v.without, ",") }

// IDs returns the IDs of the rules that can be left out, in order. Commands outside of
// passes find the rules of a detector by it.
func (v *ids) IDs() []string {
	var out []string
	for _, r := range v.rules {
		out = append(out, r.ID)
	}
	return out
}

// Set implements flag.Value.
func (v *ids) Set(s string) error {
	var list []string
	for id := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' }) {
		if !slices.ContainsFunc(v.rules, func(r Info) bool { return r.ID == id }) {
			return fmt.Errorf("there is no rule %q", id)
		}
		list = append(list, id)
	}
	v.without = list
	return nil
}

// A place is the value of the flag -why: a line of a file that is identified by the end
// of its path. The zero place matches no position.
type place struct {
	file string
	line int
}

// String returns FILE:LINE, or "" for the zero place.
func (p *place) String() string {
	if p.line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// Set implements flag.Value.
func (p *place) Set(s string) error {
	if s == "" {
		*p = place{}
		return nil
	}
	file, number, _ := cutLast(s, ":")
	line, err := strconv.Atoi(number)
	if err != nil || line <= 0 || file == "" {
		return fmt.Errorf("want FILE:LINE")
	}
	*p = place{filepath.ToSlash(filepath.Clean(file)), line}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// is reports whether a position is on the line.
func (p place) is(pos token.Position) bool {
	name := filepath.ToSlash(pos.Filename)
	return pos.Line == p.line && (name == p.file || strings.HasSuffix(name, "/"+strings.TrimPrefix(p.file, "/")))
}
