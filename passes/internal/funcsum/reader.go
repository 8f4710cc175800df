package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A Reader finds the accesses of single instructions, for analyses that follow the control
// flow of functions themselves. It reads functions without locks too, and leaves out what
// the callees of the package access.
type Reader struct {
	// Body is the function, with the paths of its values resolved.
	*Body
	published map[accesspath.Path]int
	holds     holdSets
}

// NewReader returns a Reader of the instructions of f.
func NewReader(f *Body) *Reader {
	f.in.resolver(f)
	return &Reader{Body: f, published: f.in.Publications(f)}
}

// At prepares to read an instruction, with its ordinal and the lock state before it.
func (r *Reader) At(instr ssa.Instruction, ord int, st *lockset.State) *InstrReader {
	// A copy receives the accesses: the function has its own already.
	scratch := *r.Body
	scratch.Events = nil
	return &InstrReader{r.Body, collector{p: r.in, f: &scratch, instr: instr, ord: ord, st: st, published: r.published, holds: &r.holds}}
}

// An InstrReader finds the accesses of one instruction.
type InstrReader struct {
	f *Body
	c collector
}

// Accesses returns the accesses of an instruction that is no call.
func (r *InstrReader) Accesses() []*Event {
	r.c.collect()
	return r.taken()
}

// Builtin returns the accesses of a call of a builtin function.
func (r *InstrReader) Builtin(name string, args []ssa.Value) []*Event {
	r.c.builtin(name, args)
	return r.taken()
}

// Sync returns the accesses of a call of package sync or sync/atomic.
func (r *InstrReader) Sync(c callgraph.Callee, call ssa.CallInstruction) []*Event {
	r.c.syncCall(c.Obj, c.Args, call)
	return r.taken()
}

// Foreign returns the accesses of a call of a function of another package, without those of
// the literals that it is given, and its effects on locks.
func (r *InstrReader) Foreign(c callgraph.Callee, call ssa.CallInstruction) ([]*Event, []lockset.Op) {
	if c.Sum == nil {
		r.c.container(c, call)
		return r.taken(), nil
	}
	r.c.calleeEvents(callgraph.Callee{Sum: c.Sum, Obj: c.Obj, Args: c.Args}, c.Sum, call)
	return r.taken(), r.c.p.effects(r.f, c, c.Sum, nil)
}

// taken returns the accesses that were found since the last call.
func (r *InstrReader) taken() []*Event {
	out := r.c.f.Events
	r.c.f.Events = nil
	return slices.Clip(out)
}
