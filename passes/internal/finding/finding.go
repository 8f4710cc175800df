// Package finding converts the findings of a detector to diagnostics.
//
// A message is one self-contained line: the defect, the location, where the location was
// read, where the guard was released, and which function writes in between. The same
// places are attached as related positions for editors. Comments silence a finding:
//
//	//lint:ignore stalevalue reason
//	//nolint:stalevalue // reason
//
// on the line of the finding or the line before. A reason is required.
package finding

import (
	"cmp"
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Note is a position that belongs to a finding. Notes without a position in
// the analyzed package are left out: editors cannot show them.
type Note struct {
	Pos     token.Pos
	Message string // what happens there
}

// A Finding is one report of a detector.
type Finding struct {
	Pos      token.Pos // of the access to report
	End      token.Pos // of the same, if known
	Category string    // the kind of defect
	Message  string    // without the category
	Notes    []Note    // the other accesses, in the order of the interleaving
	Fixes    []analysis.SuggestedFix
	Doubts   Doubts // from which the confidence follows
}

// Report sends the findings of at least the given confidence to the driver, in order
// of position, without those that a comment silences.
func Report(pass *analysis.Pass, least Confidence, findings []Finding) {
	findings = slices.DeleteFunc(findings, func(f Finding) bool { return f.Confidence() > least })
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Message, b.Message))
	})
	silenced := directives(pass)
	for i, f := range findings {
		if i > 0 && findings[i-1].Pos == f.Pos && findings[i-1].Message == f.Message {
			continue // one place, reached on several paths
		}
		if !f.Pos.IsValid() || silenced.covers(pass.Fset.Position(f.Pos)) {
			continue
		}
		d := analysis.Diagnostic{
			Pos:            f.Pos,
			End:            f.End,
			Category:       f.Category,
			Message:        f.Category + ": " + f.Message + f.doubt(),
			SuggestedFixes: f.Fixes,
			URL:            pass.Analyzer.URL + "#" + f.Category,
		}
		for _, n := range f.Notes {
			if n.Pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: n.Pos, Message: n.Message})
			}
		}
		pass.Report(d)
	}
}

// Failures reports internal errors of atomvet at the package clause: with an unreported
// error the package would look like one without findings.
func Failures(pass *analysis.Pass, failures []string) {
	for _, f := range failures {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "failure", Message: f})
	}
}

// Incomplete reports the functions that are analyzed in part at the package clause, in a
// category that drivers can tell from findings.
func Incomplete(pass *analysis.Pass, remarks []string) {
	for _, r := range remarks {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "partial", Message: r})
	}
}

// Protect runs a detector and reports a panic as a failure: one package that atomvet
// cannot handle must not keep the driver from all the others.
func Protect(pass *analysis.Pass, detect func()) {
	defer func() {
		if r := recover(); r != nil {
			Failures(pass, []string{fmt.Sprintf("internal error in %s, package left out: %v\n%s", pass.Analyzer.Name, r, debug.Stack())})
		}
	}()
	detect()
}

// silencers are the lines that comments silence, by file.
type silencers map[string]map[int]bool

// covers reports whether a finding at pos is silenced.
func (s silencers) covers(pos token.Position) bool {
	return s[pos.Filename][pos.Line]
}

// directives finds the comments that silence the analyzer of the pass.
func directives(pass *analysis.Pass) silencers {
	out := make(silencers)
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if !silences(c.Text, pass.Analyzer.Name) {
					continue
				}
				pos := pass.Fset.Position(c.Pos())
				lines := out[pos.Filename]
				if lines == nil {
					lines = make(map[int]bool)
					out[pos.Filename] = lines
				}
				lines[pos.Line], lines[pos.Line+1] = true, true
			}
		}
	}
	return out
}

// silences reports whether a comment silences the named analyzer and gives a
// reason.
func silences(comment, analyzer string) bool {
	if rest, ok := strings.CutPrefix(comment, "//lint:ignore "); ok {
		names, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return lists(names, analyzer) && strings.TrimSpace(reason) != ""
	}
	if rest, ok := strings.CutPrefix(comment, "//nolint:"); ok {
		names, reason, _ := strings.Cut(rest, "//")
		return lists(strings.TrimSpace(names), analyzer) && strings.TrimSpace(reason) != ""
	}
	return false
}

func lists(list, analyzer string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return strings.TrimSpace(name) == analyzer })
}
