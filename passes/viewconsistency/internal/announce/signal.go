// Package announce finds the acts by which one function tells others that something has
// happened, and the instructions by which the others learn of it: the two ends of message
// passing.
//
// A signal carries a fact and, most often, no data. The data is in other memory, and whoever
// has received the signal goes and reads it there. In the memory model the signal orders only
// what the sender has done before. So the data is written first, and the signal given last; the
// receiver looks in the opposite order.
//
// Signals are operations on channels, contexts, condition variables and groups, writes of flags, and
// insertions into containers. The package pairs them with receptions by the location that carries
// them. It does not say which data a signal announces: that is for the client.
package announce

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Kind is a kind of signal.
type Kind uint8

const (
	Closes  Kind = iota // a channel is closed, or a context canceled
	Sends               // an element is sent to a channel
	Wakes               // a condition variable is signaled
	Leaves              // Done of a sync.WaitGroup
	Sets                // a flag is written
	Inserts             // an element is put into a container
	Leads               // a number or name is stored, under which others look for an element
	counts              // Add of a sync.WaitGroup: this is data, see Data
)

// Consumed reports whether a reception takes the signal away, so that a receiver who comes too
// early waits for the next one. The other signals stay.
func (k Kind) Consumed() bool { return k == Sends || k == Wakes }

// A Signal is a signal that a function gives, itself or in callees.
type Signal struct {
	Kind Kind
	// At has the instruction, its location, which carries the signal, and the locks that
	// are held there. It is an access of the function if the kind is Sets or Inserts.
	At *funcsum.Event
	// Object is the object that is handed over with the signal, Unknown if there is none.
	Object accesspath.Path
	// site is the instruction of an operation that gives the signal, in the function or in a
	// callee.
	site ssa.Instruction
}

// Pos returns where the signal is given, in the function or in a callee.
func (s *Signal) Pos() token.Pos {
	if s.site != nil {
		return ssautil.Pos(s.site)
	}
	return s.At.Pos.Pos
}

// origin returns where the access is made that is the signal, in the function or in a callee of this package, however deep.
func (s *Signal) origin() token.Pos {
	if s.site == nil && s.At.Callee != nil {
		if at := s.At.Callee.Accesses[s.At.Index].Pos.Pos; at.IsValid() {
			return at
		}
	}
	return s.Pos()
}

// A Finder finds the signals and receptions of a package.
type Finder struct {
	*guards.Guards
	signals    map[key][]Signal
	receptions map[key][]Reception
	receivers  map[accesspath.Location][]*Receiver
	givers     map[accesspath.Location][]giver
	written    map[*process.Func]map[accesspath.Location]bool         // see writes
	readsOf    map[*process.Func][]*funcsum.Event                     // see reads
	pairs      map[accesspath.Location]map[accesspath.Location][]Pair // see Pairs
	given      map[*process.Func][]Signal                             // see Signals
	received   map[*process.Func][]Reception                          // see Receptions
}

// A key identifies a function at a depth of calls: results depend on how many calls are left to
// follow.
type key struct {
	f     *process.Func
	depth int
}

// New returns a Finder for the package.
func New(g *guards.Guards) *Finder {
	return &Finder{
		Guards:  g,
		signals: make(map[key][]Signal), receptions: make(map[key][]Reception),
		written: make(map[*process.Func]map[accesspath.Location]bool),
		readsOf: make(map[*process.Func][]*funcsum.Event),
		pairs:   make(map[accesspath.Location]map[accesspath.Location][]Pair),
		given:   make(map[*process.Func][]Signal), received: make(map[*process.Func][]Reception),
	}
}

// Signals returns the signals of f.
func (p *Finder) Signals(f *process.Func) []Signal {
	if known, ok := p.given[f]; ok {
		return known
	}
	out := slices.DeleteFunc(slices.Clone(p.operations(f, 0)), func(s Signal) bool { return s.Kind == counts })
	for _, e := range f.Events {
		switch {
		case !e.Writes() || e.Base == accesspath.Unknown || e.Clock() || e.Once():
		case isCancel(e):
			out = append(out, Signal{Closes, e, accesspath.Unknown, nil})
		case funcsum.IsSignalFlag(e.Loc): // see operations
		case e.Op&fact.Delete == 0 && (e.Key != "" || len(e.Added) > 0 && !storesName(e)) && storesData(e):
			out = append(out, Signal{Inserts, e, objectOf(f, e), nil})
		case storesName(e):
			out = append(out, Signal{Leads, e, accesspath.Unknown, nil})
		case e.Key == "" && !e.Delta() && (e.Const != "" || storesReference(e)):
			out = append(out, Signal{Sets, e, accesspath.Unknown, nil})
		}
	}
	p.given[f] = out
	return out
}

// storesData reports whether what a write stores is computed from something, here or by the caller of a callback:
//
//	store, err := open(dir, p.track) // track(id, data) puts p.lookup[hash(data)] = id
func storesData(e *funcsum.Event) bool {
	return len(e.Inputs) > 0 || e.Callee != nil && e.Callee.Accesses[e.Index].DataParams != 0
}

// isCancel reports whether an access cancels a context.
func isCancel(e *funcsum.Event) bool {
	return funcsum.IsSignalFlag(e.Loc) && e.Op&fact.Fixed != 0
}

// storesReference reports whether a write makes a variable refer to something.
func storesReference(e *funcsum.Event) bool {
	return e.Op&fact.Fixed == 0 && len(e.Inputs) > 0 && ssautil.IsReference(e.Inputs[len(e.Inputs)-1].Type())
}

// storesName reports whether a write gives a variable a number or name that is not known, or counts it up
// and goes on with the result.
func storesName(e *funcsum.Event) bool {
	if e.Key != "" || e.Const != "" || e.Op&(fact.Delete|fact.Content) != 0 {
		return false
	}
	return slices.ContainsFunc(slices.Concat(e.Inputs, e.Values), func(v ssa.Value) bool {
		_, constant := v.(*ssa.Const)
		b, ok := v.Type().Underlying().(*types.Basic)
		return ok && !constant && b.Info()&(types.IsInteger|types.IsString) != 0
	})
}

// objectOf returns the object that a write puts into a container, Unknown if it is no object.
func objectOf(f *process.Func, e *funcsum.Event) accesspath.Path {
	for _, v := range append(e.Added, e.Inputs...) {
		if _, pointer := v.Type().Underlying().(*types.Pointer); !pointer {
			continue
		}
		if path := f.Res.Resolve(v).Path; path != accesspath.Unknown && !e.Base.Within(path) {
			return path
		}
	}
	return accesspath.Unknown
}

// operations returns the signals of f on channels, condition variables and groups.
func (p *Finder) operations(f *process.Func, depth int) []Signal {
	k := key{f, depth}
	if known, ok := p.signals[k]; ok {
		return known
	}
	p.signals[k] = nil // for recursion
	var out []Signal
	p.walk(f, func(instr ssa.Instruction, at funcsum.Event) {
		out = append(out, p.operationsAt(f, instr, at, depth)...)
	})
	p.signals[k] = out
	return out
}

// walk visits the instructions of f that may give or await signals, each with an access that
// has its locks.
func (p *Finder) walk(f *process.Func, visit func(ssa.Instruction, funcsum.Event)) {
	none := new(lockset.State)
	at := func(instr ssa.Instruction, ord int, st *lockset.State) {
		switch instr := instr.(type) {
		case *ssa.UnOp, *ssa.Send, *ssa.Select, *ssa.Call, *ssa.Defer:
			visit(instr, funcsum.Event{Instr: instr, Ord: ord, Op: fact.Write, Pos: p.Pos(ssautil.Pos(instr)), Holds: f.HoldsAt(st)})
		}
	}
	if f.Flow != nil {
		f.Flow.Walk(at)
		return
	}
	ord := 0
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			at(instr, ord, none)
			ord++
		}
	}
}

func (p *Finder) operationsAt(f *process.Func, instr ssa.Instruction, at funcsum.Event, depth int) []Signal {
	switch instr := instr.(type) {
	case *ssa.Send:
		return p.onChannel(f, Sends, instr.Chan, instr.X, at)
	case *ssa.Select:
		var out []Signal
		for _, st := range instr.States {
			if st.Dir == types.SendOnly {
				out = append(out, p.onChannel(f, Sends, st.Chan, st.Send, at)...)
			}
		}
		return out
	case ssa.CallInstruction:
		return p.ofCall(f, instr, at, depth)
	}
	return nil
}

// onChannel returns the signal of an operation on a channel in a variable.
func (p *Finder) onChannel(f *process.Func, kind Kind, ch, sent ssa.Value, at funcsum.Event) []Signal {
	ref, ok := p.channel(f, ch)
	if uses := p.Tokens[ref.Loc]; !ok || uses.IsLock() {
		return nil
	}
	at.Ref = ref
	s := Signal{kind, &at, accesspath.Unknown, at.Instr}
	if sent != nil {
		if _, pointer := sent.Type().Underlying().(*types.Pointer); pointer {
			s.Object = f.Res.Resolve(sent).Path
		}
	}
	return []Signal{s}
}

// channel resolves the variable that contains a channel.
func (p *Finder) channel(f *process.Func, ch ssa.Value) (accesspath.Ref, bool) {
	switch v := ch.(type) {
	case *ssa.ChangeType:
		return p.channel(f, v.X)
	case *ssa.Call:
		return p.returned(f, v)
	}
	loc := callgraph.ChanLocation(ch)
	if load, ok := ch.(*ssa.UnOp); ok {
		ref := f.Res.Resolve(load.X)
		if loc == "" {
			loc = ref.Loc
		}
		ref.Loc = loc
		return ref, loc != "" && ref.Base != accesspath.Unknown
	}
	return accesspath.Ref{}, false
}

// returned returns the channel that a call returns, if its one callee does nothing else but to return it.
//
//	func (u *Upload) Done() <-chan struct{} { return u.done }
func (p *Finder) returned(f *process.Func, call *ssa.Call) (accesspath.Ref, bool) {
	callees := p.Callees(f.Body, &call.Call)
	if len(callees) != 1 || !p.follows(f, callees[0], 0) {
		return accesspath.Ref{}, false
	}
	g := p.Of(callees[0].Fn)
	if len(g.Fn.Blocks) != 1 {
		return accesspath.Ref{}, false
	}
	ret, ok := g.Fn.Blocks[0].Instrs[len(g.Fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || len(ret.Results) != 1 {
		return accesspath.Ref{}, false
	}
	result := ssautil.Returned(ret, 0)
	if _, again := result.(*ssa.Call); again {
		return accesspath.Ref{}, false
	}
	ref, ok := p.channel(g, result)
	if !ok {
		return accesspath.Ref{}, false
	}
	ref.Base, ref.Path = p.Translate(f.Body, callees[0], ref.Base), p.Translate(f.Body, callees[0], ref.Path)
	return ref, ref.Base != accesspath.Unknown
}

// ofCall returns the signals of a call.
func (p *Finder) ofCall(f *process.Func, call ssa.CallInstruction, at funcsum.Event, depth int) []Signal {
	common := call.Common()
	if b := ssautil.Builtin(common); b != "" {
		if b == "close" {
			return p.onChannel(f, Closes, common.Args[0], nil, at)
		}
		return nil
	}
	var out []Signal
	for _, c := range p.Callees(f.Body, common) {
		switch {
		case c.Obj != nil && stdlib.Declares(c.Obj).Listed && len(c.Args) > 0:
			if kind, ok := kindOf(stdlib.OfFunc(c.Obj), c.Args); ok {
				if ref := f.Res.Resolve(c.Args[0]); ref.Loc != "" && ref.Base != accesspath.Unknown {
					own := at
					own.Ref = ref
					out = append(out, Signal{kind, &own, accesspath.Unknown, call})
				}
			}
		case !p.follows(f, c, depth):
		default:
			for _, s := range p.operations(p.Of(c.Fn), depth+1) {
				own := at
				own.Ref = s.At.Ref
				own.Base, own.Path = p.Translate(f.Body, c, s.At.Base), p.Translate(f.Body, c, s.At.Path)
				if s.Object != accesspath.Unknown {
					s.Object = p.Translate(f.Body, c, s.Object)
				}
				if own.Base != accesspath.Unknown {
					out = append(out, Signal{s.Kind, &own, s.Object, s.site})
				}
			}
		}
	}
	return out
}

// kindOf returns the kind of signal that a call of a function of package sync gives.
func kindOf(fn stdlib.Func, args []ssa.Value) (Kind, bool) {
	switch {
	case fn.Signals:
		return Leaves, true
	case fn.Wakes:
		return Wakes, true
	case fn.Counts && len(args) > 1:
		n, known := args[1].(*ssa.Const)
		return counts, !known || n.Value == nil || constant.Sign(n.Value) > 0
	}
	return 0, false
}

// follows reports whether what a callee does counts as done by f.
func (p *Finder) follows(f *process.Func, c callgraph.Callee, depth int) bool {
	return c.Fn != nil && !c.May && depth < limit.NotifyDepth && c.Fn != f.Node && p.Of(c.Fn).State == funcsum.Built
}
