package counterpart

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/lifetime"
)

// The end of a use: a function sets a flag, and in the same section closes the object in a variable.
//
//	w.mu.Lock(); w.sink.Close(); w.closed = true; w.mu.Unlock()
//
// A use is a call of another method of the object under the lock. That the lock is there to keep the uses from the end is known
// if another function looks at the flag in the section of its use (see AsksBeforeUse):
//
//	w.mu.Lock()
//	if !w.closed { w.sink.Write(x) }
//	w.mu.Unlock()

// usesOf returns the calls of methods, under a lock, of the objects in variables, by instruction. A variable that is never changed after the
// construction of the object has no accesses of its own.
func (p *Finder) usesOf(f *process.Func) uses {
	known, ok := p.objectUses[f]
	if ok || f.Flow == nil {
		return known
	}
	known.at = make(map[ssa.Instruction]*use)
	f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		call, ok := instr.(ssa.CallInstruction)
		if _, spawned := instr.(*ssa.Go); !ok || spawned || len(st.Held) == 0 {
			return
		}
		object, method := ssautil.Receiver(call), ssautil.Method(call.Common())
		if load, ok := object.(*ssa.UnOp); !ok || load.Op != token.MUL || method == nil {
			return
		}
		ref := f.Res.Resolve(object)
		if ref.Loc == "" || ref.Base.IsLocal() || ref.Key != "" {
			return
		}
		if holds := f.HoldsAt(st); len(holds) > 0 {
			known.at[instr] = &use{&funcsum.Event{Instr: instr, Ord: ord, Op: fact.Read, Ref: ref, Holds: holds}, method}
			known.all = append(known.all, known.at[instr])
		}
	})
	p.objectUses[f] = known
	return known
}

// EndsUse returns, by the location of an object, the functions that set the flag and close the object in the same section.
func (p *Finder) EndsUse(flag accesspath.Location) map[accesspath.Location][]fact.Writer {
	return pairs(p, &p.useEndings, p.findUseEndings)[flag]
}

func (p *Finder) findUseEndings(f *process.Func) {
	for _, u := range p.usesOf(f).all {
		if !lifetime.IsClosing(u.method) {
			continue
		}
		for _, mark := range f.Events {
			if !p.sets(f, mark) || mark.Base.IsLocal() || mark.Loc == u.Loc || p.Location(mark.Loc).Constant() {
				continue
			}
			dominated := ssautil.Precedes(u.Instr, mark.Instr) || ssautil.Precedes(mark.Instr, u.Instr)
			if dominated && u.Base.Root() == mark.Base.Root() && funcsum.SharePassage(u.Event, mark) {
				p.useEndings.add(mark.Loc, u.Loc, withLocks(f, mark))
				p.closed[u.Loc] = true
			}
		}
	}
}

// UseAt returns the access by which an instruction of f uses the object in a variable that some function closes, or nil.
func (p *Finder) UseAt(f *process.Func, at ssa.Instruction) *funcsum.Event {
	if _, ok := at.(*ssa.Call); !ok {
		return nil
	}
	pairs(p, &p.useEndings, p.findUseEndings)
	if u := p.usesOf(f).at[at]; u != nil && p.closed[u.Loc] && !lifetime.IsClosing(u.method) {
		return u.Event
	}
	return nil
}

// AsksBeforeUse reports whether another function than f looks at the flag in the section in which it uses what is in a variable.
func (p *Finder) AsksBeforeUse(f *process.Func, flag, of accesspath.Location) bool {
	for g := range p.Sharing() {
		if g != f && slices.ContainsFunc(p.usesOf(g).all, func(u *use) bool {
			return u.Loc == of && slices.ContainsFunc(g.Events, func(r *funcsum.Event) bool {
				return r.Reads() && r.Loc == flag && funcsum.SharePassage(r, u.Event) && g.Decides(r, u.Instr.Block())
			})
		}) {
			return true
		}
	}
	return false
}
