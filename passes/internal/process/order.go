package process

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Happens-before order between a goroutine and the code around it. What a program does
// before the one go statement of a goroutine happens before the goroutine:
//
//	func main() {
//		load()        // not concurrent with watch
//		go watch()
//		serve()       // concurrent with it
//	}
//
// and what comes after a wait for the group that the goroutine belongs to happens after it:
//
//	close(s.stop)
//	s.wg.Wait()
//	s.flush() // not concurrent with the goroutines of s.wg

// later returns the functions that may run after the go statement of a site in the
// goroutine of the statement, or nil if the statement may be executed more than once: then
// what comes before it comes after another one.
func (p *Processes) later(s site) map[int]bool {
	if s.caller.times != perProgram || s.caller.Test || s.call.Instr == nil || s.caller.Paths().Reaches(s.call.Instr, s.call.Instr) {
		return nil
	}
	out := make(map[int]bool)
	visited := make(map[int]bool) // callers on the stack
	type point struct {
		f  *Func
		at ssa.Instruction
	}
	work := []point{{s.caller, s.call.Instr}}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		if visited[w.f.ID] {
			continue
		}
		visited[w.f.ID], out[w.f.ID] = true, true
		for _, c := range w.f.Calls {
			if c.Kind == fact.Called && comesAfter(w.f, w.at, c.Instr) {
				p.addReached(c.Callee, out)
			}
		}
		for _, t := range p.sitesOf[w.f.ID] {
			if t.call.Kind == fact.Called && t.call.Instr != nil {
				work = append(work, point{t.caller, t.call.Instr})
			}
		}
	}
	return out
}

// comesAfter reports whether a call in f may be executed after the instruction at.
func comesAfter(f *Func, at ssa.Instruction, call ssa.CallInstruction) bool {
	if _, deferred := call.(*ssa.Defer); call == nil || deferred {
		return true
	}
	return f.Paths().Reaches(at, call)
}

// addReached adds f and the functions that it calls to a set.
func (p *Processes) addReached(f int, to map[int]bool) {
	work := []int{f}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if to[f] {
			continue
		}
		to[f] = true
		for _, c := range p.Funcs[f].Calls {
			if c.Kind == fact.Called {
				work = append(work, c.Callee)
			}
		}
	}
}

// groupOf returns the location of the sync.WaitGroup that the goroutine of a site belongs
// to, or "": it is started through the group, or signals it in a deferred call.
func (p *Processes) groupOf(s site) accesspath.Location {
	if s.call.Instr == nil {
		return ""
	}
	if fn := s.call.Instr.Common().StaticCallee(); fn != nil && len(s.call.Instr.Common().Args) > 0 {
		if obj := ssautil.Object(fn); stdlib.OfFunc(obj).Group {
			return p.signal(s.caller, s.call.Instr.Common().Args[0])
		}
	}
	if _, isGo := s.call.Instr.(*ssa.Go); !isGo {
		return ""
	}
	return p.deferredSignal(p.Funcs[s.call.Callee], 1)
}

// deferredSignal returns the group that f signals when it returns, or "". A function that does nothing but call another one
// returns when that does.
//
//	go func() { s.run(s.closer) }()
func (p *Processes) deferredSignal(f *Func, depth int) accesspath.Location {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok {
				if group := p.signaledBy(f, &d.Call, 1); group != "" {
					return group
				}
				if group := p.signaledIn(f, d); group != "" {
					return group
				}
			}
		}
	}
	if body := p.bodyOf(f); body != f && depth > 0 {
		return p.deferredSignal(body, depth-1)
	}
	return ""
}

// signaledIn returns the group that a deferred literal of f signals, or "".
//
//	defer func() { s.conns.remove(c); s.wg.Done() }()
func (p *Processes) signaledIn(f *Func, d *ssa.Defer) accesspath.Location {
	literal := p.Called(d.Call.StaticCallee())
	if literal == nil || literal.Fn.Parent() != f.Fn {
		return ""
	}
	for _, b := range literal.Fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(*ssa.Call); ok {
				if group := p.signaledBy(p.Of(literal), &call.Call, 1); group != "" {
					return group
				}
			}
		}
	}
	return ""
}

// bodyOf returns the function that f calls if f does nothing else, or f: it returns when that does.
//
//	go func() { s.run() }()
func (p *Processes) bodyOf(f *Func) *Func {
	if call := ssautil.OnlyCall(f.Fn); call != nil {
		if callee := p.Called(call.Call.StaticCallee()); callee != nil {
			return p.Of(callee)
		}
	}
	return f
}

// signaledBy returns the group that a call signals, by itself or by a method of the package that does nothing else, or "".
//
//	func (c *Closer) Done() { c.waiting.Done() }
func (p *Processes) signaledBy(f *Func, call *ssa.CallCommon, depth int) accesspath.Location {
	fn := ssautil.Target(call)
	if fn == nil || len(call.Args) == 0 {
		return ""
	}
	if funcsum.OfLibrary(call).Signals {
		return p.signal(f, call.Args[0])
	}
	inner := ssautil.OnlyCall(fn)
	if p.ByFn[fn] == nil || depth == 0 || inner == nil {
		return ""
	}
	return p.signaledBy(p.Of(p.ByFn[fn]), &inner.Call, depth-1)
}

// InGroup reports whether f only runs in goroutines of the sync.WaitGroup at a location.
func (p *Processes) InGroup(f *Func, group accesspath.Location) bool {
	roots, complete := p.Procs.Reaching(f.ID)
	return complete && len(roots) > 0 && !slices.ContainsFunc(roots, func(r Root) bool { return r.group != group && !r.Test })
}

// isOver reports whether the goroutine of a root has been waited for whenever control reaches an activity, and not been
// started again since.
func (p *Processes) isOver(r Root, a Activity) bool {
	return slices.ContainsFunc(r.ends, func(end accesspath.Location) bool {
		return slices.Contains(a.F.joined, end) || a.At != nil && slices.ContainsFunc(a.F.waits, func(w wait) bool {
			return w.group == end && ssautil.Precedes(w.at, a.At) && !p.startsBetween(r, a.F, w.at, a.At)
		})
	})
}

// startsBetween reports whether f starts the goroutine of a root, or calls the function that does,
// between a wait and an instruction.
func (p *Processes) startsBetween(r Root, f *Func, wait, instr ssa.Instruction) bool {
	return slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool {
		starts := c.Callee == r.starter || c.Callee == r.Func && c.Kind == fact.Spawned
		return starts && c.Instr != nil && c.Instr != instr && f.Paths().Exists(cfgpath.Way{From: c.Instr, To: instr, Avoid: wait})
	})
}

// EndsWith reports whether f only runs in goroutines that signal their ends by one of the given groups and channels.
func (p *Processes) EndsWith(f *Func, joined []accesspath.Location) bool {
	if len(joined) == 0 {
		return false
	}
	roots, complete := p.Procs.Reaching(f.ID)
	return complete && len(roots) > 0 && !slices.ContainsFunc(roots, func(r Root) bool {
		return !slices.ContainsFunc(r.ends, func(end accesspath.Location) bool { return slices.Contains(joined, end) })
	})
}

// JoinedAt returns the groups that have been waited for whenever control reaches instr.
func (p *Processes) JoinedAt(f *Func, instr ssa.Instruction) []accesspath.Location {
	p.findJoined()
	out := slices.Clone(f.joined)
	if instr == nil {
		return out
	}
	for _, w := range f.waits {
		if ssautil.Precedes(w.at, instr) {
			out = append(out, w.group)
		}
	}
	return out
}

// findJoined computes the groups that have been waited for at the start of each function:
// those that all callers have waited for, by a greatest fixpoint.
func (p *Processes) findJoined() {
	if p.joinedKnown {
		return
	}
	p.joinedKnown = true
	any := false
	for _, f := range p.Funcs {
		f.waits = p.waitsOf(f, 2)
		any = any || len(f.waits) > 0
	}
	if !any {
		return
	}
	known := make([]bool, len(p.Funcs))
	copy(known, p.isOpen)
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			if p.isOpen[i] {
				continue
			}
			joined, ok := p.meetJoined(f, known)
			if ok && (!known[i] || !slices.Equal(joined, f.joined)) {
				known[i], f.joined, changed = true, joined, true
			}
		}
	}
}

// meetJoined intersects the groups that the callers of f have waited for at the calls.
func (p *Processes) meetJoined(f *Func, known []bool) ([]accesspath.Location, bool) {
	var out []accesspath.Location
	any := false
	for _, s := range p.sitesOf[f.ID] {
		if s.call.Instr == nil || !known[s.caller.ID] || s.caller.Test && !f.Test {
			continue
		}
		at := p.JoinedAt(s.caller, s.call.Instr)
		if !any {
			out, any = at, true
			continue
		}
		out = slices.DeleteFunc(out, func(g accesspath.Location) bool { return !slices.Contains(at, g) })
	}
	slices.Sort(out)
	return slices.Compact(out), any
}

// waitsOf returns the instructions in f that wait for a group, or for the end of what a channel
// signals: those of callees included that wait whenever they return.
func (p *Processes) waitsOf(f *Func, depth int) []wait {
	if known, ok := p.waits[waitsTo{f, depth}]; ok {
		return known
	}
	if p.waits == nil {
		p.waits = make(map[waitsTo][]wait)
	}
	p.waits[waitsTo{f, depth}] = nil // of a cycle
	out := p.findWaits(f, depth)
	p.waits[waitsTo{f, depth}] = out
	return out
}

func (p *Processes) findWaits(f *Func, depth int) []wait {
	var out []wait
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if end := p.signal(f, instr.X); instr.Op == token.ARROW && end != "" {
					out = append(out, wait{instr, end})
				}
			case *ssa.Call:
				out = append(out, p.waitsBy(f, instr, depth)...)
			}
		}
	}
	return out
}

// waitsBy returns the waits that a call makes.
func (p *Processes) waitsBy(f *Func, call *ssa.Call, depth int) []wait {
	fn := ssautil.Target(&call.Call)
	if fn == nil || len(call.Call.Args) == 0 {
		return nil
	}
	if stdlib.OfFunc(ssautil.Object(fn)).Awaits {
		if end := p.signal(f, call.Call.Args[0]); end != "" {
			return []wait{{call, end}}
		}
		return nil
	}
	n := p.ByFn[fn]
	if n == nil || depth == 0 {
		return nil
	}
	var out []wait
	for _, w := range p.waitsOf(p.Of(n), depth-1) {
		if !w.group.IsVariable() && !strings.HasPrefix(string(w.group), ofVariable) && alwaysBefore(p.Of(n), w.at) {
			out = append(out, wait{call, w.group})
		}
	}
	return out
}
