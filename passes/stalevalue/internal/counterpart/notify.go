package counterpart

import (
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// Notification: a function writes a variable and then iterates over a list of subscribers. Both are reached from one
// object, as parts of the same one or of two.
//
//	f.log.append(c)             // f.log.changes, under f.log.mu
//	for _, sub := range f.hub.subs { // under f.hub.mu
//		sub.send(c)
//	}

// A Notification is a function that writes a variable and then iterates over a container.
type Notification struct {
	fact.Writer
	// Way leads to the variable and to the container from the object that both are reached from.
	Way [2]accesspath.Path
	// Mark is set if the write stores a constant, or is a relative update: the value only says that an event has occurred.
	Mark bool
	// Joint is set if a lock is held both for the write and in the other section.
	Joint bool
	list  list
}

// Tells reports whether the notifier sends to, closes or calls an element of the list, or passes it to a callee.
func (n *Notification) Tells() bool { return tells(n.list.in, n.list.read) }

// Keyed reports whether the function iterates over the list under one key of a map of lists.
func (n *Notification) Keyed() bool {
	read := n.list.read
	return read.Key != "" && slices.ContainsFunc(read.Values, isRanged)
}

// Notifies returns, by location, the functions that write the location and then iterate over container to.
func (p *Finder) Notifies(to accesspath.Location) map[accesspath.Location][]Notification {
	return pairs(p, &p.notifications, p.findNotifications)[to]
}

func (p *Finder) findNotifications(f *process.Func) {
	p.findTold(f, p.lists(f, 0), p.notifications)
}

// findTold adds a notification for each write of f and each use of one of the lists that follows it.
func (p *Finder) findTold(f *process.Func, lists []list, to pairing[Notification]) {
	if len(lists) == 0 {
		return
	}
	for _, w := range f.Events {
		if !w.Writes() || w.Callee != nil && w.Callee.Foreign || w.Op&fact.Delete != 0 || len(w.Holds) == 0 || p.isSetOnce(f, w) {
			continue
		}
		for _, l := range lists {
			if l.loc == w.Loc || !areReached(w.Base, l.base) || w.Callee != nil && w.Instr == l.instr || !f.Order().Flows(w.Instr, l.instr) {
				continue
			}
			n := Notification{Writer: f.Writer(w), Mark: w.Op&fact.Fixed != 0 || w.Delta(), list: l}
			n.Joint = slices.ContainsFunc(w.Holds, func(h funcsum.Hold) bool { return slices.Contains(l.locks, h.Class) })
			n.Guards = l.locks
			n.Way[0], n.Way[1] = accesspath.Apart(w.Base, l.base)
			to.add(l.loc, w.Loc, n)
		}
	}
}

// isSetOnce reports whether a write is only made where nothing was: what others have found there stays as it is.
//
//	if s.conf == nil { s.conf = load() }
//
// A write that replaces an older version is no such write.
func (p *Finder) isSetOnce(f *process.Func, w *funcsum.Event) bool {
	if w.Callee != nil && !w.Looked() {
		return false
	}
	for g, inner := range p.Descent(f, w) {
		if inner.Callee == nil {
			return inner.Looked() || g.IsFilledOnly(inner)
		}
	}
	return true // by a function of another package, which looks
}

// areReached reports whether two objects are certainly reached from one that is shared: they are the same, or parts of it.
func areReached(a, b accesspath.Path) bool {
	return !a.IsLocal() && !b.IsLocal() && !a.HasAny() && !b.HasAny() && (a == b || !a.IsGlobal() && !b.IsGlobal() && a.Root() == b.Root())
}

// A list is a guarded container over whose elements a function iterates, or another variable
// that it uses, at an instruction of its own or in a callee.
type list struct {
	loc   accesspath.Location
	base  accesspath.Path
	instr ssa.Instruction
	locks []accesspath.Location
	// read is the access of the container, in the function that makes it itself.
	read *funcsum.Event
	in   *process.Func
}

type listKey struct {
	f     *process.Func
	depth int
}

func (p *Finder) lists(f *process.Func, depth int) []list {
	k := listKey{f, depth}
	if known, ok := p.listsOf[k]; ok {
		return known
	}
	p.listsOf[k] = p.collect(f, depth, iterates, p.lists)
	return p.listsOf[k]
}

// collect returns the guarded variables that f reads in a certain way, and those of its callees,
// which the function within returns.
func (p *Finder) collect(f *process.Func, depth int, way func(*process.Func, *funcsum.Event) bool, within func(*process.Func, int) []list) []list {
	var out []list
	for _, e := range f.Events {
		if e.Callee != nil || !e.Reads() || e.Writes() {
			continue
		}
		if locks := f.Locks(e); len(locks) > 0 && way(f, e) {
			out = append(out, list{e.Loc, e.Base, e.Instr, locks, e, f})
		}
	}
	if depth == limit.NotifyDepth {
		return out
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			for _, c := range p.Callees(f.Body, &call.Call) {
				if c.Fn == nil || c.Fn == f.Node || p.Of(c.Fn).State != funcsum.Built || c.May {
					continue
				}
				for _, l := range within(p.Of(c.Fn), depth+1) {
					if base := p.Translate(f.Body, c, l.base); base != accesspath.Unknown {
						out = append(out, list{l.loc, base, instr, l.locks, l.read, l.in})
					}
				}
			}
		}
	}
	return out
}

// iterates reports whether e reads the elements of a container one after the other, or takes the container, so that the
// function iterates over it after the section.
//
//	f.mu.Lock(); f.last = c; subs := f.subs; f.mu.Unlock()
//	for _, sub := range subs { sub.send(c) }
func iterates(f *process.Func, e *funcsum.Event) bool {
	if ranged := slices.ContainsFunc(e.Values, isRanged); ranged || e.Key == "" { // with a key, a list in a map
		return ranged
	}
	parts := e.Key.Parts()
	last := parts[len(parts)-1] // of a container in a container
	key := accesspath.Path(last)
	_, next := f.Res.Definition(key.Root()).(*ssa.Next)
	return last == accesspath.AnyKey || last != "" && key == key.Root() && next
}

// tells reports whether f sends to, closes or calls an element of the container that e reads, or passes one to a callee.
func tells(f *process.Func, e *funcsum.Event) bool {
	found := func(v ssa.Value) bool {
		return f.Slice(v).HasAny(e.Values) || f.Res.Resolve(v).Path.Within(e.MemberPath())
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				if found(instr.Chan) {
					return true
				}
			case *ssa.Select:
				if slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return s.Dir == types.SendOnly && found(s.Chan) }) {
					return true
				}
			case ssa.CallInstruction:
				c := instr.Common()
				if b := ssautil.Builtin(c); b != "" && b != "close" {
					continue
				}
				if !funcsum.IsText(c) && (slices.ContainsFunc(c.Args, found) || c.IsInvoke() && found(c.Value) || !c.IsInvoke() && c.StaticCallee() == nil && found(c.Value)) {
					return true
				}
			}
		}
	}
	return false
}

// isRanged reports whether a loop goes through the elements of a container, or of a copy of it.
//
//	f.mu.Lock(); subs := append([]*sub(nil), f.subs...); f.mu.Unlock()
//	for _, sub := range subs { sub.send(c) }
func isRanged(container ssa.Value) bool {
	return isLooped(container) || slices.ContainsFunc(ssautil.Uses(container), func(use ssa.Instruction) bool {
		call, ok := use.(*ssa.Call)
		if !ok {
			return false
		}
		appended := ssautil.IsAppend(call) && len(call.Call.Args) > 1 && call.Call.Args[1] == container
		return (appended || funcsum.OfLibrary(&call.Call).Clones) && isLooped(call)
	})
}

// isLooped reports whether a loop goes through the elements of a container itself.
func isLooped(container ssa.Value) bool {
	return slices.ContainsFunc(ssautil.Uses(container), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Range:
			return true
		case *ssa.IndexAddr:
			switch i := use.Index.(type) {
			case *ssa.Phi:
				return true
			case *ssa.BinOp: // the index of a range statement
				_, counts := i.X.(*ssa.Phi)
				return counts
			}
		}
		return false
	})
}
