package lifetime

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Use is an operation on the channel of an object, which panics if the channel is closed, or on
// a file, which fails then.
type Use struct {
	// Sends is set for a send to the channel, and a read or write of the file; otherwise it is
	// closed. File is set for a file.
	Sends, File bool
	// Object is the object, in the function, and Of the field with the channel or file,
	// "" if it is the object itself.
	Object ssa.Value
	Of     accesspath.Location
	// Instr is the operation, or the call of the function that makes it, and Pos the position
	// of the operation itself.
	Instr ssa.Instruction
	Pos   fact.Pos
	Right
	// Locks are the locks that are held at the operation.
	Locks []accesspath.Location
	// base is the object, in the terms of the function.
	base accesspath.Path
}

type useKey struct {
	f     *process.Func
	depth int
}

// Uses returns the operations on channels and files of f, of the functions that it calls, and of the goroutines that it starts.
func (p *Finder) Uses(f *process.Func) []Use { return p.usesAt(f, 0) }

func (p *Finder) usesAt(f *process.Func, depth int) []Use {
	k := useKey{f, depth}
	if known, ok := p.uses[k]; ok {
		return known
	}
	p.uses[k] = nil // for recursion
	var out []Use
	f.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) {
		started := p.StartedAt(f.Body, instr)
		for _, u := range p.usesBy(f, instr, started, depth) {
			u.Instr, u.Right = instr, u.with(p.RightTo(f, instr))
			_, deferred := instr.(*ssa.Defer)
			switch {
			case deferred:
				u.Tests = nil // in a section that is over when the call is made
			case len(started) > 0:
				u.Tests = nil // a goroutine holds the locks that it takes, and no others
			default:
				u.Locks = slices.Clip(u.Locks) // a callee's
				for _, g := range locks {
					u.Locks = append(u.Locks, g.Class)
				}
			}
			out = append(out, u)
		}
	})
	p.uses[k] = out
	return out
}

// usesBy returns the operations by an instruction, and by the goroutines that it starts.
func (p *Finder) usesBy(f *process.Func, instr ssa.Instruction, started []callgraph.Callee, depth int) []Use {
	switch instr := instr.(type) {
	case *ssa.Send:
		return p.use(f, instr, instr.Chan, true)
	case *ssa.Select:
		var out []Use
		for _, st := range instr.States {
			if st.Dir == types.SendOnly {
				out = append(out, p.use(f, instr, st.Chan, true)...)
			}
		}
		return out
	case ssa.CallInstruction:
		if b := ssautil.Builtin(instr.Common()); b != "" {
			if b == "close" {
				return p.use(f, instr, instr.Common().Args[0], false)
			}
			return nil
		}
		if fn := instr.Common().StaticCallee(); fn != nil && isFile(fn.Signature.Recv()) {
			return p.useFile(f, instr, fn.Name() != "Close")
		}
		if depth < limit.NotifyDepth {
			return p.calleeUses(f, instr, started, depth)
		}
	}
	return nil
}

// use returns the operation on channel ch, unless the channel belongs to the function.
func (p *Finder) use(f *process.Func, instr ssa.Instruction, ch ssa.Value, sends bool) []Use {
	for {
		c, ok := ch.(*ssa.ChangeType)
		if !ok {
			break
		}
		ch = c.X
	}
	u := Use{Sends: sends, Object: ch, Pos: p.Pos(ssautil.Pos(instr))}
	if l, ok := ch.(*ssa.UnOp); ok && l.Op == token.MUL {
		if field, ok := l.X.(*ssa.FieldAddr); ok {
			u.Object, u.Of = field.X, callgraph.ChanLocation(ch)
			if ssautil.IsMadeHere(field.X) || u.Of == "" {
				return nil
			}
		}
	}
	u.base = pathOf(f, u.Object)
	return []Use{u}
}

// isFile reports whether a method belongs to a type of files.
func isFile(recv *types.Var) bool {
	if recv == nil {
		return false
	}
	known, _ := stdlib.OfType(recv.Type())
	return known.File
}

// useFile returns the operation on a file by a call of one of its methods.
func (p *Finder) useFile(f *process.Func, instr ssa.CallInstruction, operates bool) []Use {
	out := p.use(f, instr, instr.Common().Args[0], operates)
	for i := range out {
		out[i].File = true
	}
	return out
}

// calleeUses returns the operations by the functions that an instruction calls or starts, on objects that
// they are given. A function that recovers from panics makes none that panics.
func (p *Finder) calleeUses(f *process.Func, instr ssa.CallInstruction, started []callgraph.Callee, depth int) []Use {
	var out []Use
	callees := started
	if len(started) == 0 {
		callees = p.Callees(f.Body, instr.Common())
	}
	for _, c := range callees {
		if c.Fn == nil || c.Via != nil || p.Of(c.Fn) == f {
			continue
		}
		for _, u := range p.usesAt(p.Of(c.Fn), depth+1) {
			if u.Object = given(c, u.base.Root()); u.Object == nil || u.base == accesspath.Unknown || !u.File && ssautil.Recovers(c.Fn.Fn) {
				continue
			}
			u.base = inCaller(pathOf(f, u.Object), u.base)
			out = append(out, u)
		}
	}
	return out
}

// given returns the value that the caller gives to a callee at a root of the callee's paths.
func given(c callgraph.Callee, root accesspath.Path) ssa.Value {
	for i, a := range c.Args {
		if root == accesspath.Param(i) {
			return a
		}
	}
	for i, b := range c.Bindings() {
		if root == accesspath.Free(i) {
			return b
		}
	}
	return nil
}

// pathOf returns the path of v, also in a function that does not concern locks.
func pathOf(f *process.Func, v ssa.Value) accesspath.Path {
	if f.Res != nil {
		return f.Res.Resolve(v).Path
	}
	return accesspath.NewResolver(f.Fn, nil, nil).Resolve(v).Path
}

// inCaller translates a path of fields in a callee to the caller, by the path of its root there.
func inCaller(root, path accesspath.Path) accesspath.Path {
	if root == accesspath.Unknown || path.HasElement() {
		return accesspath.Unknown
	}
	return path.Moved(path.Root(), root)
}

// MayBeNew reports whether an object is a new one of the function on some paths: whether it is
// closed is mostly decided by that.
//
//	c, ok := g.calls[k]
//	if !ok { c = new(call); g.calls[k] = c }
//	…
//	if !ok { close(c.done) }
func MayBeNew(object ssa.Value) bool {
	phi, ok := object.(*ssa.Phi)
	return ok && slices.ContainsFunc(phi.Edges, ssautil.IsMadeHere)
}

// A Right is what decides that an operation is made.
type Right struct {
	// Claims are the locations that are tested and set in one step before.
	Claims []accesspath.Location
	// Tests are the reads that are tested in the section of the operation, and Asks the
	// locations that callees test there.
	Tests []*funcsum.Event
	Asks  []accesspath.Location
}

// with returns the right to an operation of a callee, which has the right r there, in a function
// that has the right o to the call.
func (r Right) with(o Right) Right {
	return Right{slices.Concat(r.Claims, o.Claims), o.Tests, slices.Concat(r.asked(), o.Asks)}
}

// asked returns the locations that are asked for in the section of the operation.
func (r Right) asked() []accesspath.Location {
	out := slices.Clone(r.Asks)
	for _, e := range r.Tests {
		out = append(out, e.Loc)
	}
	return out
}

// RightTo returns the tests and claims on which an instruction of f is control dependent. The test whether a channel is
// closed needs no critical section: it is monotone, as a closed channel stays closed.
//
//	select {
//	case <-r.stale:
//		return
//	default:
//	}
//	close(r.stale)
func (p *Finder) RightTo(f *process.Func, at ssa.Instruction) Right {
	var r Right
	if len(f.Events) == 0 {
		return r
	}
	for br := range depgraph.Branches(f.Fn) {
		if !decides(br, at.Block()) {
			continue
		}
		slice := f.Slice(br.Cond)
		for _, e := range f.Events {
			if !e.Reads() || !slice.HasAny(e.Values) {
				continue
			}
			switch {
			case e.Writes() || e.Owned() || claimsInCallee(e):
				r.Claims = append(r.Claims, e.Loc)
			case inSection(f, e, at):
				r.Tests = append(r.Tests, e)
			case funcsum.IsSignalFlag(e.Loc):
				r.Asks = append(r.Asks, e.Loc)
			}
		}
	}
	return r
}

// decides reports whether control comes to a block only by one side of a branch. Unlike control
// dependence that holds for the last block of an endless loop, too.
func decides(br *ssa.If, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(br.Block().Succs, func(s *ssa.BasicBlock) bool { return len(s.Preds) == 1 && s.Dominates(b) })
}

// claimsInCallee reports whether the callee that makes the read e writes the location in the
// same section.
func claimsInCallee(e *funcsum.Event) bool {
	if e.Callee == nil {
		return false
	}
	read := e.Callee.Accesses[e.Index]
	return slices.ContainsFunc(e.Callee.Accesses, func(w fact.Access) bool {
		return w.Op&fact.Write != 0 && w.Loc == read.Loc && w.Base == read.Base && w.Regions&read.Regions != 0
	})
}

// RightOf returns what decides that f makes the access e, here or in a callee.
func (p *Finder) RightOf(f *process.Func, e *funcsum.Event) Right {
	r := p.RightTo(f, e.Instr)
	if e.Callee == nil {
		return r
	}
	own := e.Callee.Accesses[e.Index]
	for _, i := range own.Control {
		a := e.Callee.Accesses[i]
		switch {
		case a.Traits.Has(fact.Owned) || a.Op&fact.Write != 0:
			r.Claims = append(r.Claims, a.Loc)
		case a.Regions&own.Regions != 0, funcsum.IsSignalFlag(a.Loc):
			r.Asks = append(r.Asks, a.Loc)
		}
	}
	return r
}

// inSection reports whether the instruction lies in the section of a lock in which e is made.
func inSection(f *process.Func, e *funcsum.Event, at ssa.Instruction) bool {
	return slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool {
		return !h.Inner && f.Order().Flows(e.Instr, at) && !f.Order().EndsBetween(e.Instr, at, h.Path)
	})
}
