package summary

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/interleave"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// An Execution is what running a function together with its rivals says: see package
// interleave.
type Execution struct {
	interleave.Answer
	Rival *Func // that the answer is about, nil if it is about none or all
}

// Harmful and Serializable report the verdict. Neither holds where it is unknown.
func (e Execution) Harmful() bool { return e.Verdict == interleave.Harmful }

// Serializable reports whether no schedule does harm.
func (e Execution) Serializable() bool { return e.Verdict == interleave.Serializable }

// Execute runs function f with each of its rivals between two of its instructions. The answer
// is the first harmful one, or else the first unknown one. complete says that there are no
// other rivals.
func (p *Package) Execute(f *Func, check, act ssa.Instruction, rivals []*Func, complete bool) (out Execution) {
	if p.engine == nil {
		p.engine = interleave.New(p.views.Graph)
	}
	rivals = slices.Compact(slices.Clone(rivals))
	if len(rivals) > limit.Rivals {
		rivals, complete = rivals[:limit.Rivals], false
	}
	out = Execution{Answer: interleave.Answer{Verdict: interleave.Serializable}}
	if !complete || len(rivals) == 0 {
		out.Answer = interleave.Answer{Why: "writers of other packages, or many"}
	}
	for _, r := range rivals {
		a := p.engine.Ask(interleave.Question{First: unit(f), Second: unit(r), Check: check, Act: act})
		switch {
		case a.Verdict == interleave.Harmful && a.Stale:
			return Execution{a, r}
		case a.Verdict == interleave.Harmful && !out.Harmful():
			out = Execution{a, r}
		case a.Verdict == interleave.Unknown && out.Serializable():
			out = Execution{a, r}
		}
	}
	return out
}

func unit(f *Func) interleave.Unit { return interleave.Unit{Fn: f.Fn, Entry: f.Entry} }
