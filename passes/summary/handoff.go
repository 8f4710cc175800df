package summary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/handoff"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A DistantAct is a write that another goroutine makes because of what a function sends to it,
// or starts it with.
type DistantAct = handoff.Act

// DistantActs returns the writes that other goroutines make because of what f does.
func (p *Package) DistantActs(f *Func) []DistantAct {
	if p.handoffs == nil {
		p.handoffs = handoff.New(p.views.Summaries)
	}
	return p.handoffs.Of(f.Body)
}

// A Sender is a function that sends to a channel, with the classes of the locks that it holds.
type Sender struct {
	Func *Func
	Held []accesspath.Location
}

// Senders returns those who send to the channel that the message of an act has been sent to.
func (p *Package) Senders(a *DistantAct) []Sender {
	var out []Sender
	for _, s := range p.handoffs.Senders(a) {
		f := p.Funcs[s.In.ID]
		by := Sender{Func: f}
		f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
			for _, h := range st.Held {
				if instr == s.Instr && f.Flow.Holds(h) {
					by.Held = append(by.Held, h.Class)
				}
			}
		})
		for _, g := range f.Entry {
			by.Held = append(by.Held, g.Class)
		}
		out = append(out, by)
	}
	return out
}
