package rule

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// A Judge applies the rules of a detector in one pass, according to the flags. A nil
// Judge leaves out no rule and explains nothing.
type Judge struct {
	pass    *analysis.Pass
	without []string
	why     place
}

// leavesOut reports whether a rule is left out.
func (j *Judge) leavesOut(id string) bool { return j != nil && slices.Contains(j.without, id) }

// Explains reports whether the flag -why names a position.
func (j *Judge) Explains() bool { return j != nil && j.why.line > 0 }

// Wants returns a function that reports whether the candidates of a function at a position have to be found:
// their findings, of at least the given confidence, can have an effect, or the flag -why asks for what is not
// reported, too.
func (j *Judge) Wants(least finding.Confidence) func(token.Pos) bool {
	if j.Explains() {
		least = finding.Low
	}
	return finding.Matters(j.pass, least)
}

// A Candidate can be explained.
type Candidate interface {
	// String returns a line that names the two accesses and why they belong together.
	String() string
	// Positions returns the position of the report, if the candidate were reported, and
	// further positions by which the flag -why can name the candidate: of the accesses, of
	// the function.
	Positions() []token.Pos
}

// A Remarker is a candidate with further lines of explanation, such as the rivals that
// are ruled out, and why.
type Remarker interface {
	// Remarks returns the further lines.
	Remarks() []string
}

// Accept reports whether the candidate is a finding: no rule rejects it. If the flag -why
// names its position, Accept explains it by a diagnostic.
func Accept[C Candidate](j *Judge, s Set[C], c C) bool {
	decisive := s.Rejecting(j, c)
	if j.asks(c) {
		j.report(c, s.verdict(j, c, decisive, c.Positions()[0]))
	}
	return decisive == nil
}

// Note explains what became of a candidate after all rules, if -why names its position.
func (j *Judge) Note(c Candidate, text string) {
	if j.asks(c) {
		j.report(c, []string{text})
	}
}

// verdict lists the rules that apply, the deciding one first, for a candidate at the given position.
func (s Set[C]) verdict(j *Judge, c C, decisive *Rule[C], at token.Pos) []string {
	var lines []string
	if decisive != nil {
		lines = append(lines, fmt.Sprintf("silenced by %s", decisive))
	} else {
		doubts := s.Doubts(j, c).In(j.pass, at)
		lines = append(lines, fmt.Sprintf("reported, with %s confidence", doubts.Confidence()))
	}
	for i := range s {
		r := &s[i]
		switch {
		case r == decisive || r.Kind == Reports || j.leavesOut(r.ID) || !r.speaks(c):
		case r.Kind >= Doubts:
			lines = append(lines, fmt.Sprintf("doubted by %s: %s", r, r.Doubt))
		default:
			lines = append(lines, fmt.Sprintf("also silenced by %s", r))
		}
	}
	return lines
}

// String returns the rule as an explanation shows it: identifier, kind and mechanism.
func (i Info) String() string { return fmt.Sprintf("%s (%s, %s)", i.ID, i.Kind, i.Mechanism) }

// asks reports whether the flag -why names a position of the candidate.
func (j *Judge) asks(c Candidate) bool {
	return j.Explains() && slices.ContainsFunc(c.Positions(), func(pos token.Pos) bool {
		return pos.IsValid() && j.why.is(j.pass.Fset.Position(pos))
	})
}

// Why is the category of explanations.
const Why = "why"

func (j *Judge) report(c Candidate, lines []string) {
	if r, ok := c.(Remarker); ok {
		lines = append(lines, r.Remarks()...)
	}
	for _, pos := range c.Positions() {
		if pos.IsValid() {
			j.pass.Report(analysis.Diagnostic{
				Pos: pos, Category: Why, Message: Why + ": " + c.String() + "\n\t" + strings.Join(lines, "\n\t"),
			})
			return
		}
	}
}
