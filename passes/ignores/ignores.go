// Package ignores defines an analyzer that checks the comments that silence findings of
// atomvet.
//
// # Analyzer ignores
//
// ignores: report comments that should silence a finding of atomvet and do not
//
// A comment that silences a finding says that somebody has looked at it, and why it is no
// mistake. These comments say less than they seem to:
//
//   - no-reason: without a reason the comment silences nothing.
//   - unknown-name: the name is not that of a detector or category, but similar to one.
//   - malformed: the comment does not have one of the forms below, but mentions a detector.
//   - no-effect: there is nothing to silence. The finding was mended, or the comment is too far
//     from it.
//
// The forms are
//
//	//lint:ignore NAME,... reason
//	//nolint:NAME,... // reason
//	//lint:file-ignore NAME,... reason
//
// where a name is that of a detector, of a category, as check-then-act or
// stalevalue/check-then-act, or atomvet, which stands for all detectors. The first two concern
// their own line and the next one. The name observe, alone or as in observe/stale-value, silences
// what the command atomvet observe reports; whether it has an effect is seen in a run only. The
// analyzer says nothing about the names of other tools, nor about a category that is only reported
// with a flag and silences no report.
package ignores

import (
	_ "embed"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
)

//go:embed ignores.go
var source string

// Kinds returns the categories of the findings.
func Kinds() []finding.Kind {
	return []finding.Kind{{Name: noReason}, {Name: unknownName}, {Name: malformed}, {Name: noEffect}}
}

const (
	noReason    = "no-reason"
	unknownName = "unknown-name"
	malformed   = "malformed"
	noEffect    = "no-effect"
)

// A Detector is an analyzer whose findings comments silence.
type Detector struct {
	*analysis.Analyzer // with a result of type *finding.Silenced
	Kinds              []finding.Kind
}

// New returns the analyzer for the comments that silence the given detectors.
func New(detectors []Detector) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "ignores",
		Doc:  doc.Extract(source, "ignores"),
		URL:  "https://pkg.go.dev/github.com/atomvet/atomvet/passes/ignores",
		Run: func(pass *analysis.Pass) (any, error) {
			(&checker{pass: pass, detectors: detectors}).check()
			return nil, nil
		},
	}
	for _, d := range detectors {
		a.Requires = append(a.Requires, d.Analyzer)
	}
	return a
}

type checker struct {
	pass      *analysis.Pass
	detectors []Detector
}

func (c *checker) check() {
	for _, file := range c.pass.Files {
		for _, d := range finding.Directives(file) {
			c.directive(d)
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				c.comment(comment)
			}
		}
	}
}

func (c *checker) report(n ast.Node, category, format string, args ...any) {
	c.pass.Report(analysis.Diagnostic{
		Pos: n.Pos(), End: n.End(), Category: category, Message: category + ": " + fmt.Sprintf(format, args...),
		URL: c.pass.Analyzer.URL + "#" + category,
	})
}

const forms = "//lint:ignore NAME reason, //nolint:NAME // reason or //lint:file-ignore NAME reason"

// directive checks a comment that has one of the forms.
func (c *checker) directive(d finding.Directive) {
	for _, name := range d.Names {
		meant := c.meant(name)
		switch similar := c.similar(name); {
		case slices.Contains(observerNames(), name):
			if d.Reason == "" {
				c.report(d, noReason, "without a reason this comment does not silence %s: write %s", name, forms)
				return
			}
		case len(meant) == 0 && similar != "":
			c.report(d, unknownName, "atomvet has no detector or category %q; there is %s", name, similar)
		case len(meant) == 0 && c.withReason(name) != "":
			c.report(d, malformed, "this comment does not silence %s: write %s", c.withReason(name), forms)
			return
		case len(meant) == 0: // of another tool
		case d.Reason == "":
			c.report(d, noReason, "without a reason this comment does not silence %s: write %s", name, forms)
			return
		case !c.effective(d, name, meant):
			c.report(d, noEffect, "there is no finding of %s here to be silenced", name)
		}
	}
}

// effective reports whether a name in a directive has silenced something, or might with other
// flags.
func (c *checker) effective(d finding.Directive, name string, meant []Detector) bool {
	return slices.ContainsFunc(meant, func(m Detector) bool {
		silenced := c.pass.ResultOf[m.Analyzer].(*finding.Silenced)
		optional := func(k finding.Kind) bool { return k.Optional && (k.Name == name || m.Name+"/"+k.Name == name) }
		return silenced.Failed || silenced.By(d, name) || slices.ContainsFunc(m.Kinds, optional)
	})
}

// meant returns the detectors that a name can silence.
func (c *checker) meant(name string) []Detector {
	if name == finding.Suite {
		return c.detectors
	}
	var out []Detector
	for _, d := range c.detectors {
		if slices.Contains(namesOf(d), name) {
			out = append(out, d)
		}
	}
	return out
}

// namesOf returns the names that mean a detector or a category of it.
func namesOf(d Detector) []string {
	out := []string{d.Name}
	for _, k := range d.Kinds {
		if !strings.Contains(k.Name, " ") { // which no list of names can contain
			out = append(out, k.Name, d.Name+"/"+k.Name)
		}
	}
	return out
}

// withReason returns the name at the beginning of one that has a reason in it, or "".
//
//	//nolint:stalevalue one writer
func (c *checker) withReason(name string) string {
	if first, reason, ok := strings.Cut(name, " "); ok && reason != "" && len(c.meant(first)) > 0 {
		return first
	}
	return ""
}

// similar returns a name that was probably meant, or "".
func (c *checker) similar(name string) string {
	best, distance := "", 3
	if rest, ok := strings.CutPrefix(name, finding.Suite+"/"); ok {
		if len(c.meant(rest)) > 0 {
			return rest
		}
		best = finding.Suite
	}
	known := append(observerNames(), finding.Suite)
	for _, d := range c.detectors {
		if strings.HasPrefix(name, d.Name+"/") && best == "" {
			best = d.Name
		}
		known = append(known, namesOf(d)...)
	}
	for _, k := range known {
		// Short names of other tools are similar by chance.
		if n := edits(strings.ToLower(name), k); n < distance && 3*n < len(k) {
			best, distance = k, n
		}
	}
	return best
}

// edits returns how many letters have to be changed, left out or added to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// attempt matches a comment that begins like a directive, and the first list of names in it.
var attempt = regexp.MustCompile(`^(?://|/\*)\s*(?i:lint:\s*(?:file-)?ignore|nolint)[:\s]+([^\s*]+)`)

// comment checks a comment that has none of the forms.
func (c *checker) comment(comment *ast.Comment) {
	m := attempt.FindStringSubmatch(comment.Text)
	if m == nil || finding.IsDirective(comment.Text) {
		return
	}
	for name := range strings.SplitSeq(m[1], ",") {
		if len(c.meant(name)) > 0 {
			c.report(comment, malformed, "this comment does not silence %s: write %s", name, forms)
			return
		}
	}
}
