package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A load after an own store: a function stores an object in a variable, and reads the variable
// in a later critical section, by itself or in a goroutine that it starts, as if the object were
// still there.
//
//	s.mu.Lock(); s.quit = make(chan struct{}); s.mu.Unlock()
//	go s.loop() // s.mu.Lock(); quit := s.quit; s.mu.Unlock(); … <-quit
//
// A rival that stores nil in between makes the use fail, or block: W(x) W'(x) R(x), one of
// the four unserializable interleavings of two accesses and a rival (Lu, Tucek, Qin, Zhou, AVIO,
// ASPLOS 2006). The object itself, handed on as a variable or an argument, cannot be lost.
// A use that is only reached if the second read has found something is an answer to the loss.

// An ownStore is a store of an object and a later read of the variable.
type ownStore struct {
	reread
	guard summary.Hold    // of the store
	in    *summary.Func   // that reads
	start ssa.Instruction // that begins the goroutine which reads, nil if the function itself does
}

func (s *ownStore) String() string { return s.describe("own-store", "stored", "read") }

// ownStores reports such reads.
func (d *detector) ownStores(rules rule.Set[*ownStore]) {
	for _, store := range d.f.Events {
		info := d.pkg.Location(store.Loc)
		if !storesObject(store) || info.Constant() {
			continue
		}
		guard, ok := validGuard(store, info)
		if !ok {
			continue
		}
		base := ownStore{reread: reread{d: d, first: store, info: info}, guard: guard}
		for _, s := range append(base.loads(), base.loadsByStarted()...) {
			if rule.Accept(d.judge, rules, s) {
				d.findings = append(d.findings, s.finding())
				break
			}
		}
	}
}

// storesObject reports whether an access stores a reference that is not nil in a variable.
func storesObject(e *summary.Event) bool {
	if !e.Writes() || e.Reads() || e.Key != "" || e.Callee != nil || e.Const != "" || len(e.Inputs) == 0 || e.Base == accesspath.Unknown {
		return false
	}
	switch e.Inputs[0].Type().Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// loads returns the reads of the function itself in later sections.
func (s ownStore) loads() []*ownStore {
	d, store := s.d, s.first
	s.in = d.f
	var out []*ownStore
	for _, load := range d.f.Events {
		if load.Reads() && !load.Writes() && sameCell(store, load) && yields(load, store) && d.actsAfter(store, load, s.guard, true) &&
			ssautil.Precedes(store.Instr, load.Instr) && failsUnchecked(d.f, load) {
			out = append(out, s.with(load))
		}
	}
	return out
}

// loadsByStarted returns the reads of the goroutines that the function starts after the store.
func (s ownStore) loadsByStarted() []*ownStore {
	d, steps := s.d, s.d.pkg.Steps(s.d.f)
	var out []*ownStore
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if !funcsum.StartsAtOnce(instr) || !d.f.Order().Flows(s.first.Instr, instr) {
				continue
			}
			s.start = instr
			for _, step := range steps[instr] {
				if step.Kind == summary.SpawnStep {
					out = append(out, s.loadsOf(step.Callees)...)
				}
			}
		}
	}
	return out
}

// loadsOf returns the reads of functions that run in a new goroutine.
func (s ownStore) loadsOf(started []summary.Callee) []*ownStore {
	var out []*ownStore
	for _, c := range started {
		if c.Func.Sum == nil {
			continue
		}
		s.in = s.d.pkg.Of(c)
		for _, load := range s.in.Events {
			if load.Loc == s.first.Loc && load.Key == "" && load.Reads() && !load.Writes() && len(load.Holds) > 0 && yields(load, s.first) &&
				accesspath.Same(c.Translate(load.Base), s.first.Base) && (failsUnchecked(s.in, load) || waitsFor(load)) {
				out = append(out, s.with(load))
			}
		}
	}
	return out
}

func (s ownStore) with(load *summary.Event) *ownStore {
	s.read = load
	return &s
}

// yields reports whether a read yields the object, and not something that depends on it.
func yields(load, store *summary.Event) bool {
	return slices.ContainsFunc(load.Values, func(v ssa.Value) bool { return types.Identical(v.Type(), store.Inputs[0].Type()) })
}

// failsUnchecked reports whether f uses what it reads where nil fails, whatever it has read.
func failsUnchecked(f *summary.Func, load *summary.Event) bool {
	use := f.NeedsValue(load)
	return use != nil && !branchesOn(f, use.Block(), load)
}

// waitsFor reports whether a channel that was read is received from, which never ends if the
// channel is nil.
func waitsFor(load *summary.Event) bool {
	return slices.ContainsFunc(load.Values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			switch use := use.(type) {
			case *ssa.UnOp:
				return use.Op == token.ARROW
			case *ssa.Select:
				return use.Blocking
			}
			return false
		})
	})
}

// rival returns a writer that stores nil and can run before the read, or nil.
//
//	s.mu.Lock(); s.quit = make(chan struct{}); s.mu.Unlock()
//	go s.loop() // stop closes s.quit, waits for the loop, and clears s.quit
func (s *ownStore) rival() *summary.Writer {
	var held []accesspath.Location
	if s.start == nil {
		held = s.d.f.HeldThrough(s.first, s.read)
	}
	return s.rivalUnder(held, func(w *summary.Writer) bool {
		return w.Const == "nil" && s.d.pkg.Processes().ConcurrentAt(s.in, s.read, w)
	})
}

func (s *ownStore) hasRival() bool { return s.rival() != nil }

func (s *ownStore) finding() finding.Finding {
	d, w, name := s.d, orNobody(s.rival()), s.d.f.NameOf(s.first)
	stored := d.pos(s.first)
	set := finding.Note{Pos: stored, Message: name + " is set here"}
	if s.start != nil {
		return d.interruption(finding.Finding{
			Pos: ssautil.Pos(s.start), Category: checkThenAct,
			Message: fmt.Sprintf("%s was set at line %d for the goroutine that is started here, which reads it later (%s); another goroutine may clear it before (%s, %s, sets it to nil)",
				name, d.line(stored), s.read.Pos.Text, w.Func, w.Pos.Text),
			Notes: []finding.Note{set, {Pos: d.pos(s.read), Message: "the goroutine reads it here"}},
		}, s.first, useOf(s.first, s.start), w, "")
	}
	return d.interruption(finding.Finding{
		Pos: d.pos(s.read), Category: checkThenAct,
		Message: fmt.Sprintf("%s was set at line %d, but %s was released and another goroutine may clear it before it is used here unchecked (%s, %s, sets it to nil)",
			name, d.line(stored), d.f.GuardName(s.guard), w.Func, w.Pos.Text),
		Notes: []finding.Note{set},
	}, s.first, s.read, w, "")
}
