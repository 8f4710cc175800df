package atomicset

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// A goroutine is joined by a process that waits for its last signal: a Done of a
// WaitGroup, the close of a channel, or a send. The end of the goroutine happens before
// the statements after the wait.
//
//	go func() { defer close(done); s.work() }()
//	<-done
//	s.finish() // not concurrent with s.work

// A signal is the last operation of a goroutine, and can be waited for.
type signal struct {
	key string
	// one says that the signal wakes one waiter only, and only once.
	one bool
}

// spawn translates the start of goroutines: the processes that may access the object.
func (b *builder) spawn(s summary.Step) {
	before := b.loose
	var after []int
	for _, c := range s.Callees {
		for _, p := range b.t.processes {
			if p.outline != nil || p.fn != b.t.pkg.Of(c) || !b.sameObject(c, p) {
				continue
			}
			b.loose = before
			node := b.emit(model.Skip, 0, s.Pos, "")
			st := start{proc: b.index(), node: node, process: p, repeated: b.in.f.Paths().Reaches(s.Instr, s.Instr)}
			if s.Path != accesspath.Unknown {
				st.signals = append(st.signals, signal{b.signalKey(s.Path), false})
			}
			for _, sig := range lastSignals(b.t.pkg, b.t.pkg.Of(c), 0) {
				if key := b.signalKey(c.Translate(sig.path)); key != "" {
					st.signals = append(st.signals, signal{key, sig.one})
				}
			}
			b.t.starts = append(b.t.starts, st)
			after = append(after, b.loose...)
		}
	}
	if len(after) > 0 {
		b.loose = after
	}
}

// sameObject reports whether the object of process p may be the one that is followed.
func (b *builder) sameObject(c summary.Callee, p *process) bool {
	base := p.cand.base
	if base.IsGlobal() || base.IsFresh() {
		return true
	}
	path := c.Translate(base)
	if got := b.sym(path); got != accesspath.Unknown {
		return got == p.cand.as || got.Within(around)
	}
	return !path.IsFresh()
}

// signalKey names a WaitGroup or channel in the model, or returns "".
func (b *builder) signalKey(path accesspath.Path) string {
	if path == accesspath.Unknown {
		return ""
	}
	if got := b.sym(path); got != accesspath.Unknown {
		return string(got)
	}
	return b.in.f.Fn.String() + ":" + string(path)
}

// await translates waiting for a signal.
func (b *builder) await(s summary.Step) {
	key := b.signalKey(s.Path)
	if key == "" {
		return
	}
	node := b.emit(model.Skip, 0, s.Pos, "")
	b.t.awaits = append(b.t.awaits, await{b.index(), node, key, b.in.f.Paths().Reaches(s.Instr, s.Instr)})
}

// A lastSignal is a signal in the terms of the function that sends it.
type lastSignal struct {
	path accesspath.Path
	one  bool
}

// lastSignals returns the signals that a function sends after all other steps.
func lastSignals(pkg *summary.Package, f *summary.Func, depth int) []lastSignal {
	var out []lastSignal
	steps := pkg.Steps(f)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			for _, s := range steps[instr] {
				given := signalsOf(pkg, s, depth)
				if _, deferred := instr.(*ssa.Defer); len(given) > 0 && (deferred || !followed(f, steps, instr)) {
					out = append(out, given...)
				}
			}
		}
	}
	return out
}

// signalsOf returns the signals that a step sends last.
func signalsOf(pkg *summary.Package, s summary.Step, depth int) []lastSignal {
	switch {
	case s.Kind == summary.SignalStep:
		_, send := s.Instr.(*ssa.Send)
		return []lastSignal{{s.Path, send}}
	case s.Kind != summary.CallStep || depth == limit.JoinDepth:
		return nil
	}
	var out []lastSignal
	for _, c := range s.Callees {
		for _, sig := range lastSignals(pkg, pkg.Of(c), depth+1) {
			out = append(out, lastSignal{c.Translate(sig.path), sig.one})
		}
	}
	return out
}

// followed reports whether f may make a step after an instruction.
func followed(f *summary.Func, steps map[ssa.Instruction][]summary.Step, at ssa.Instruction) bool {
	for instr, list := range steps {
		if _, deferred := instr.(*ssa.Defer); deferred || !f.Paths().Reaches(at, instr) {
			continue
		}
		if slices.ContainsFunc(list, func(s summary.Step) bool { return s.Kind != summary.SignalStep && s.Kind != summary.AwaitStep }) {
			return true
		}
	}
	return false
}

// connect adds the starts and the joins, when all procedures are known.
func (t *translator) connect() {
	for _, s := range t.starts {
		n := &t.m.Procs[s.proc].Nodes[s.node]
		n.Op, n.Arg, n.Text = model.Start, s.process.proc, s.process.name()
	}
	for _, w := range t.awaits {
		proc := t.m.Procs[w.proc]
		at := w.node
		var joined []int
		for _, s := range t.starts {
			if !slices.Contains(joined, s.process.proc) && t.joins(w, s) {
				joined = append(joined, s.process.proc)
			}
		}
		for i, p := range joined {
			if i > 0 {
				n := proc.Nodes[at]
				proc.Nodes[at].Succs = []int{len(proc.Nodes)}
				at = len(proc.Nodes)
				proc.Nodes = append(proc.Nodes, n)
			}
			proc.Nodes[at].Op, proc.Nodes[at].Arg = model.Join, p
			proc.Nodes[at].Text = t.m.Procs[p].Name
		}
	}
}

// joins reports whether the wait at w is for all goroutines that s has started. A send
// wakes one receiver: to wait for several goroutines takes several receives.
func (t *translator) joins(w await, s start) bool {
	return slices.ContainsFunc(s.signals, func(sig signal) bool {
		if sig.key != w.key {
			return false
		}
		if !sig.one || w.repeated {
			return true
		}
		senders := 0
		for _, other := range t.starts {
			if slices.ContainsFunc(other.signals, func(o signal) bool { return o.key == w.key }) {
				senders++
			}
		}
		return senders == 1 && !s.repeated
	})
}
