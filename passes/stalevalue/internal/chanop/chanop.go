// Package chanop finds the operations on the channels of a package, with the locks that are held there.
package chanop

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Finder finds the operations when it is first asked for one.
type Finder struct {
	*guards.Guards
	ops      map[accesspath.Location][]Op
	buffered map[accesspath.Location]bool
}

// New returns a Finder for the package.
func New(g *guards.Guards) *Finder { return &Finder{Guards: g} }

// An Op is a send to the channel of a field or a package variable, or a receive from it. An
// exported function that returns the channel stands for those of its callers.
type Op struct {
	Sends, Receives bool
	// By is the function, without locks.
	By    fact.Writer
	Instr ssa.Instruction
	// Chan is the channel, as the function has it; nil for those of callers.
	Chan ssa.Value
	// Locks are those that are held at the operation.
	Locks []lockset.Guard
}

// Ops returns the operations on the channel in a location, in the order of the functions.
func (p *Finder) Ops(of accesspath.Location) []Op {
	if p.ops == nil {
		p.ops = make(map[accesspath.Location][]Op)
		for _, f := range p.Funcs { // also those that have no lock
			if f.Test || f.Constructs() {
				continue
			}
			f.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) { p.add(f, instr, locks) })
		}
	}
	return p.ops[of]
}

func (p *Finder) add(f *process.Func, instr ssa.Instruction, locks []lockset.Guard) {
	note := func(ch ssa.Value, sends, receives bool) {
		if of := p.ChannelOf(ch); of != "" {
			op := Op{Sends: sends, Receives: receives, Instr: instr, Locks: locks}
			op.By = fact.Writer{Func: callgraph.Name(f.Fn), Pos: p.Pos(ssautil.Pos(instr)), Fn: f.ID}
			if _, returned := instr.(*ssa.Return); !returned {
				op.Chan = ch
			}
			p.ops[of] = append(p.ops[of], op)
		}
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		note(instr.Chan, true, false)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			note(instr.X, false, true)
		}
	case *ssa.Select:
		for _, st := range instr.States {
			note(st.Chan, st.Dir == types.SendOnly, st.Dir == types.RecvOnly)
		}
	case *ssa.Return:
		if !f.Public() {
			return
		}
		for i := range instr.Results {
			v := ssautil.Returned(instr, i)
			if c, ok := v.(*ssa.ChangeType); ok {
				v = c.X
			}
			if ch, ok := f.Fn.Signature.Results().At(i).Type().Underlying().(*types.Chan); ok {
				note(v, ch.Dir() != types.RecvOnly, ch.Dir() != types.SendOnly)
			}
		}
	}
}

// Buffered reports whether a channel that is stored in a location has a buffer where it is made.
func (p *Finder) Buffered(of accesspath.Location) bool {
	if p.buffered == nil {
		p.buffered = make(map[accesspath.Location]bool)
		for _, f := range p.Funcs {
			for _, b := range f.Fn.Blocks {
				for _, instr := range b.Instrs {
					if st, ok := instr.(*ssa.Store); ok && hasBuffer(st.Val) {
						p.buffered[accesspath.LocationOf(st.Addr)] = true
					}
				}
			}
		}
	}
	return p.buffered[of]
}

// hasBuffer reports whether v is a new channel with a buffer, or with one of a size that is not known.
func hasBuffer(v ssa.Value) bool {
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	size, known := made.Size.(*ssa.Const)
	return !known || size.Int64() > 0
}
