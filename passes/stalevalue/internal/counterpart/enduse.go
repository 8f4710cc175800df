package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// The end of a use: a function sets a flag, and in the same section calls a method of an object in a variable, which ends it.
//
//	w.mu.Lock(); w.sink.Close(); w.closed = true; w.mu.Unlock()
//
// What the method does need not be known. It ends the object if only those who set the flag call it, and if others look at the flag
// before they use the object:
//
//	w.mu.Lock()
//	if !w.closed { w.sink.Write(x) }
//	w.mu.Unlock()

// usesOf returns the uses that f makes, for their effect, of the objects in its variables. A variable that is never changed after the construction of
// the object has no accesses of its own.
func (p *Finder) usesOf(f *process.Func) []use {
	known, ok := p.objectUses[f]
	if ok || f.Flow == nil {
		return known
	}
	f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		call, ok := instr.(*ssa.Call)
		if !ok || !isForEffect(call) {
			return
		}
		object := ssautil.Receiver(call)
		if _, loaded := object.(*ssa.UnOp); !loaded {
			return
		}
		ref := f.Res.Resolve(object)
		if ref.Loc == "" || ref.Base.IsLocal() || ref.Key != "" {
			return
		}
		e := &funcsum.Event{Instr: instr, Ord: ord, Op: fact.Read, Ref: ref}
		for _, h := range st.Held {
			if f.Flow.Holds(h) {
				e.Holds = append(e.Holds, funcsum.Hold{Guard: h.Guard, Sites: h.Sites})
			}
		}
		if len(e.Holds) > 0 {
			known = append(known, use{e, methodOf(&call.Call)})
		}
	})
	p.objectUses[f] = known
	return known
}

// methodOf returns the name of the method that is called, "" for a function value.
func methodOf(c *ssa.CallCommon) string {
	switch fn := c.StaticCallee(); {
	case c.IsInvoke():
		return c.Method.Name()
	case fn != nil:
		return fn.Name()
	}
	return ""
}

// EndsUse returns, by the location of an object, the functions that set the flag and end the object in the same section.
func (p *Finder) EndsUse(flag accesspath.Location) map[accesspath.Location][]fact.Writer {
	return pairs(p, &p.useEndings, p.findUseEndings)[flag]
}

// HasUseEnding reports whether some function ends the object in a variable, when it sets a flag.
func (p *Finder) HasUseEnding(of accesspath.Location) bool {
	for _, ends := range pairs(p, &p.useEndings, p.findUseEndings) {
		if len(ends[of]) > 0 {
			return true
		}
	}
	return false
}

func (p *Finder) findUseEndings(f *process.Func) {
	for _, mark := range f.Events {
		if !p.sets(mark) || mark.Base.IsLocal() || p.Location(mark.Loc).Constant() {
			continue
		}
		for _, u := range p.usesOf(f) {
			if u.Loc != mark.Loc && u.Base.Root() == mark.Base.Root() && funcsum.SharePassage(u.Event, mark) && p.isLast(u, mark.Loc) {
				p.useEndings.add(mark.Loc, u.Loc, withLocks(f, mark))
			}
		}
	}
}

// isLast reports whether only functions that set the flag call the method of a use on what is in the variable.
func (p *Finder) isLast(u use, flag accesspath.Location) bool {
	for g := range p.Sharing() {
		calls := slices.ContainsFunc(p.usesOf(g), func(o use) bool { return o.Loc == u.Loc && o.method == u.method })
		if calls && !slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool { return e.Loc == flag && p.sets(e) }) {
			return false
		}
	}
	return true
}

// UseAt returns the access by which an instruction of f uses the object in a variable under a lock, or nil.
func (p *Finder) UseAt(f *process.Func, at ssa.Instruction) *funcsum.Event {
	for _, u := range p.usesOf(f) {
		if u.Instr == at {
			return u.Event
		}
	}
	return nil
}

// AsksBeforeUse reports whether another function than f looks at the flag in the section in which it uses what is in a variable.
func (p *Finder) AsksBeforeUse(f *process.Func, flag, of accesspath.Location) bool {
	for g := range p.Sharing() {
		if g != f && slices.ContainsFunc(p.usesOf(g), func(u use) bool {
			return u.Loc == of && slices.ContainsFunc(g.Events, func(r *funcsum.Event) bool {
				return r.Reads() && r.Loc == flag && funcsum.SharePassage(r, u.Event) && g.Decides(r, u.Instr.Block())
			})
		}) {
			return true
		}
	}
	return false
}
