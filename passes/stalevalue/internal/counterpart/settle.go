package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A goroutine that receives answers looks for the one who waits for each, by the number in the answer, and
// drops an answer for which nobody waits:
//
//	if w, ok := c.waiting[f.ID]; ok {
//		w <- f
//	}

// Settles returns a function that finds elements of a table by a key and sends to them, or closes them.
func (p *Finder) Settles(table accesspath.Location) (fact.Writer, bool) {
	if p.settlers == nil {
		p.settlers = make(map[accesspath.Location]fact.Writer)
		for f := range p.Sharing() {
			p.findSettlers(f)
		}
	}
	w, ok := p.settlers[table]
	return w, ok
}

func (p *Finder) findSettlers(f *process.Func) {
	signaled := signals(f.Fn)
	if len(signaled) == 0 {
		return
	}
	for _, e := range f.Events {
		if _, known := p.settlers[e.Loc]; known || !e.Reads() || e.Key == "" || e.Key.HasAny() {
			continue
		}
		if slices.ContainsFunc(signaled, func(ch ssa.Value) bool { return f.Slice(ch).HasAny(e.Values) }) {
			p.settlers[e.Loc] = withLocks(f, e)
		}
	}
}

// signals returns the channels that a function sends to or closes.
func signals(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				out = append(out, instr.Chan)
			case *ssa.Select:
				for _, st := range instr.States {
					if st.Send != nil {
						out = append(out, st.Chan)
					}
				}
			case *ssa.Call:
				if ssautil.Builtin(&instr.Call) == "close" {
					out = append(out, instr.Call.Args[0])
				}
			}
		}
	}
	return out
}
