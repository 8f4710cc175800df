// Package finding converts the findings of a detector to diagnostics.
//
// A message is one self-contained line: the defect, the location, where the location was
// read, where the guard was released, and which function writes in between. The same
// places are attached as related positions for editors. Comments silence a finding:
//
//	//lint:ignore stalevalue reason
//	//nolint:stalevalue // reason
//	//lint:file-ignore stalevalue reason
//
// The first two do on the line of the finding or the line before, the third anywhere in the
// file. A category, as check-then-act or stalevalue/check-then-act, can take the place of the
// detector, and so can atomvet, for all detectors. A reason is required.
package finding

import (
	"cmp"
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/anchor"
)

// A Note is a position that belongs to a finding. Notes without a position in
// the analyzed package are left out: editors cannot show them.
type Note struct {
	Pos     token.Pos
	Message string // what happens there
	// Anchors are the places of another finding that the note reports.
	Anchors *anchor.Anchors
}

// A Finding is one report of a detector.
type Finding struct {
	Pos      token.Pos // of the access to report
	End      token.Pos // of the same; by default that of the syntax at Pos
	Category string    // the kind of defect
	Message  string    // without the category
	Notes    []Note    // the other accesses, in the order of the interleaving
	Fixes    []analysis.SuggestedFix
	Doubts   Doubts // from which the confidence follows
	// Anchors are the places for programs, if the driver asks for them.
	Anchors *anchor.Anchors
	// Group, unless it is "", is the same for the findings of one function about one object
	// and guard: see fold. Of those with the same confidence, that with the least Rank says most.
	Group string
	Rank  int
}

// Report sends the findings of at least the given confidence to the driver, in order
// of position, one for each group, without those that a comment silences. It returns what
// comments have silenced, for which findings of any confidence count.
func Report(pass *analysis.Pass, least Confidence, findings []Finding) *Silenced {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(compare(pass.Fset, a.Pos, b.Pos), strings.Compare(a.Message, b.Message))
	})
	comments := newSilencer(pass)
	var shown []Finding
	for i := range findings {
		f := &findings[i]
		if !f.Pos.IsValid() || comments.silences(f) || f.Confidence() > least {
			continue
		}
		if n := len(shown); n > 0 && shown[n-1].Pos == f.Pos && shown[n-1].Message == f.Message {
			continue // one place, reached on several paths
		}
		shown = append(shown, *f)
	}
	for _, f := range fold(shown) {
		pass.Report(f.diagnostic(pass))
	}
	return comments.silenced
}

// compare orders positions by the name of the file and the place in it. Positions as
// such tell in which order the driver has parsed the files, which may be any.
func compare(fset *token.FileSet, a, b token.Pos) int {
	if x, y := fset.File(a), fset.File(b); x != nil && y != nil && x != y {
		return strings.Compare(x.Name(), y.Name())
	}
	return cmp.Compare(a, b)
}

// diagnostic converts the finding to the form that drivers take.
func (f *Finding) diagnostic(pass *analysis.Pass) analysis.Diagnostic {
	d := analysis.Diagnostic{
		Pos:            f.Pos,
		End:            f.end(pass),
		Category:       f.Category,
		Message:        f.Category + ": " + f.Message + f.doubt(),
		SuggestedFixes: f.Fixes,
		URL:            pass.Analyzer.URL + "#" + f.Category,
	}
	for _, n := range f.Notes {
		if n.Pos.IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: n.Pos, End: extent(pass, n.Pos), Message: n.Message})
			if n.Anchors != nil {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: n.Pos, Message: n.Anchors.String()})
			}
		}
	}
	if f.Anchors != nil {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: f.Pos, Message: f.Anchors.String()})
	}
	return d
}

// end returns the end of the access to report.
func (f *Finding) end(pass *analysis.Pass) token.Pos {
	if f.End.IsValid() {
		return f.End
	}
	return extent(pass, f.Pos)
}

// Failures reports internal errors of atomvet at the package clause: with an unreported
// error the package would look like one without findings.
func Failures(pass *analysis.Pass, failures []string) {
	for _, f := range failures {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: Failure, Message: f})
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
func Protect(pass *analysis.Pass, detect func() *Silenced) (silenced *Silenced) {
	silenced = &Silenced{Failed: true}
	defer func() {
		if r := recover(); r != nil {
			Failures(pass, []string{fmt.Sprintf("internal error in %s, package left out: %v\n%s", pass.Analyzer.Name, r, debug.Stack())})
		}
	}()
	return detect()
}
