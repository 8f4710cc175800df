package finding

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Suite is the name by which a comment silences all detectors.
const Suite = "atomvet"

// A Directive is a comment that silences findings, or tries to.
type Directive struct {
	comment *ast.Comment
	Names   []string // of detectors, categories, or Suite
	Reason  string
	File    bool // for the whole file, and not for its own line and the next one
}

// Pos returns the position of the comment.
func (d Directive) Pos() token.Pos { return d.comment.Pos() }

// End returns the end of the comment.
func (d Directive) End() token.Pos { return d.comment.End() }

// IsDirective reports whether a comment has the form of a directive.
func IsDirective(comment string) bool {
	_, ok := parseDirective(comment)
	return ok
}

// names reports whether a name in a directive means a category of an analyzer.
func names(name, analyzer, category string) bool {
	return name == analyzer || name == Suite ||
		category != "" && (name == category || name == analyzer+"/"+category)
}

// Directives returns the directives of a file, with or without a reason.
func Directives(file *ast.File) []Directive {
	var out []Directive
	for _, group := range file.Comments {
		for _, c := range group.List {
			if d, ok := parseDirective(c.Text); ok {
				d.comment = c
				out = append(out, d)
			}
		}
	}
	return out
}

// parseDirective parses a comment.
func parseDirective(comment string) (Directive, bool) {
	for _, form := range []struct {
		prefix string
		file   bool
	}{{"//lint:ignore", false}, {"//lint:file-ignore", true}} {
		if rest, ok := strings.CutPrefix(comment, form.prefix); ok && startsWithSpace(rest) {
			names, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return Directive{Names: split(names), Reason: strings.TrimSpace(reason), File: form.file}, true
		}
	}
	if rest, ok := strings.CutPrefix(comment, "//nolint:"); ok {
		names, reason, _ := strings.Cut(rest, "//")
		return Directive{Names: split(names), Reason: strings.TrimSpace(reason)}, true
	}
	return Directive{}, false
}

func startsWithSpace(s string) bool { return s == "" || s[0] == ' ' || s[0] == '\t' }

// split splits a list at commas. Spaces round a name are no part of it.
func split(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Silenced is the result of a detector: what directives have silenced.
type Silenced struct {
	// Failed says that the detector did not finish, so that directives without effect mean
	// nothing.
	Failed bool
	used   map[use]bool
}

// A use is a directive and the name in it that has silenced a finding.
type use struct {
	pos  token.Pos
	name string
}

// By reports whether a name in a directive has silenced a finding.
func (s *Silenced) By(d Directive, name string) bool { return s.used[use{d.Pos(), name}] }

// silencer applies the directives of a pass.
type silencer struct {
	pass     *analysis.Pass
	files    map[string][]Directive // by name
	silenced *Silenced
}

func newSilencer(pass *analysis.Pass) *silencer {
	s := &silencer{pass: pass, files: make(map[string][]Directive), silenced: &Silenced{used: make(map[use]bool)}}
	for _, f := range pass.Files {
		name := pass.Fset.Position(f.Pos()).Filename
		s.files[name] = append(s.files[name], Directives(f)...)
	}
	return s
}

// silences reports whether a comment silences a finding, and notes which ones do.
func (s *silencer) silences(f *Finding) bool {
	pos, any := s.pass.Fset.Position(f.Pos), false
	for _, d := range s.files[pos.Filename] {
		line := s.pass.Fset.Position(d.Pos()).Line
		here := d.File || line == pos.Line || line+1 == pos.Line
		if !here || d.Reason == "" {
			continue
		}
		for _, name := range d.Names {
			if names(name, s.pass.Analyzer.Name, f.Category) {
				s.silenced.used[use{d.Pos(), name}], any = true, true
			}
		}
	}
	return any
}

// SilencesLine reports whether a directive of a file silences a category of an analyzer on a line.
func SilencesLine(fset *token.FileSet, file *ast.File, line int, analyzer, category string) bool {
	for _, d := range Directives(file) {
		at := fset.PositionFor(d.Pos(), false).Line
		if here := d.File || at == line || at+1 == line; !here || d.Reason == "" {
			continue
		}
		for _, name := range d.Names {
			if names(name, analyzer, category) {
				return true
			}
		}
	}
	return false
}
