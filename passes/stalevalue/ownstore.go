package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
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
// A rival that stores nil in between makes the use fail, or wait for ever: W(x) W'(x) R(x), one of
// the four unserializable interleavings of two accesses and a rival (Lu, Tucek, Qin, Zhou, AVIO,
// ASPLOS 2006). The object itself, handed on as a variable or an argument, cannot be lost.
// A use that is only reached if the second read has found something is an answer to the loss.

// An ownStore is a store of an object and a later read of the variable.
type ownStore struct {
	d           *detector
	store, load *summary.Event
	guard       summary.Hold  // of the store
	in          *summary.Func // that reads
	start       *ssa.Go       // that begins the goroutine which reads, nil if the function itself does
	info        *summary.LocInfo
}

func (s *ownStore) String() string {
	return fmt.Sprintf("own-store: %s stored at line %d, read at line %d, in %s",
		s.d.f.NameOf(s.store), s.d.line(s.d.pos(s.store)), s.d.line(s.d.pos(s.load)), summary.Name(s.d.f.Fn))
}

func (s *ownStore) Positions() []token.Pos {
	return []token.Pos{s.d.pos(s.load), s.d.pos(s.store), s.d.f.Fn.Pos()}
}

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
		for _, s := range append(d.loadsAfter(store, guard), d.loadsByStarted(store, guard)...) {
			s.info = info
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

// loadsAfter returns the reads of the function itself in later sections.
func (d *detector) loadsAfter(store *summary.Event, guard summary.Hold) []*ownStore {
	var out []*ownStore
	start := d.f.Fn.Blocks[0].Instrs[0]
	for _, load := range d.f.Events {
		if load.Reads() && !load.Writes() && sameCell(store, load) && yields(load, store) && d.actsAfter(store, load, guard, true) && load.Instr != start &&
			(store.Instr == start || d.f.Order().MustPass(start, store.Instr, load.Instr)) && failsUnchecked(d.f, load) {
			out = append(out, &ownStore{d: d, store: store, load: load, guard: guard, in: d.f})
		}
	}
	return out
}

// loadsByStarted returns the reads of the goroutines that the function starts after the store.
func (d *detector) loadsByStarted(store *summary.Event, guard summary.Hold) []*ownStore {
	var out []*ownStore
	for at, steps := range d.pkg.Steps(d.f) {
		start, ok := at.(*ssa.Go)
		if !ok || !d.f.Order().Flows(store.Instr, start) {
			continue
		}
		for _, s := range steps {
			for _, c := range s.Callees {
				if s.Kind != summary.SpawnStep || c.Func.Sum == nil {
					continue
				}
				g := d.pkg.Of(c)
				for _, load := range g.Events {
					if load.Loc == store.Loc && load.Key == "" && load.Reads() && !load.Writes() && len(load.Holds) > 0 && yields(load, store) &&
						accesspath.Same(c.Translate(load.Base), store.Base) && (failsUnchecked(g, load) || waitsFor(load)) {
						out = append(out, &ownStore{d: d, store: store, load: load, guard: guard, in: g, start: start})
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *ownStore) int { return int(a.start.Pos() - b.start.Pos()) })
	return out
}

// yields reports whether a read yields the object, and not something that depends on it.
func yields(load, store *summary.Event) bool {
	return slices.ContainsFunc(load.Values, func(v ssa.Value) bool { return types.Identical(v.Type(), store.Inputs[0].Type()) })
}

// failsUnchecked reports whether f uses what it reads where nil fails, whatever it has read.
func failsUnchecked(f *summary.Func, load *summary.Event) bool {
	use := zeroFails(f, load)
	return use != nil && !branchesOn(f, use.Block(), load)
}

// waitsFor reports whether a channel that was read is received from, which lasts for ever if it
// is nil.
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
	for i := range s.info.Writers {
		w := &s.info.Writers[i]
		held := []accesspath.Location(nil)
		if s.start == nil {
			held = s.d.f.HeldThrough(s.store, s.load)
		}
		if w.Const == "nil" && s.d.pkg.ConcurrentAt(s.in, s.load, w) && (rival{d: s.d, writer: w, base: s.store.Base, held: held}).runs() {
			return w
		}
	}
	return nil
}

func (s *ownStore) hasRival() bool { return s.rival() != nil }

func (s *ownStore) finding() finding.Finding {
	d, w, name := s.d, orNobody(s.rival()), s.d.f.NameOf(s.store)
	f := finding.Finding{
		Pos:      d.pos(s.load),
		Category: checkThenAct,
		Message: fmt.Sprintf("%s was set at line %d, but %s was released and another goroutine may clear it before it is used here unchecked (%s, %s, sets it to nil)",
			name, d.line(d.pos(s.store)), d.f.GuardName(s.guard), w.Func, w.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(s.store), Message: name + " is set here"}},
		Anchors: d.pkg.Anchors(summary.Split{
			Fset: d.pass.Fset, Func: d.f, Check: s.store, Act: s.load, Writers: []summary.Writer{*w},
		}),
	}
	if s.start != nil {
		f.Pos, f.Anchors = s.start.Pos(), nil
		f.Message = fmt.Sprintf("%s was set at line %d for the goroutine that is started here, which reads it later (%s); another goroutine may clear it before (%s, %s, sets it to nil)",
			name, d.line(d.pos(s.store)), s.load.Pos.Text, w.Func, w.Pos.Text)
		f.Notes = append(f.Notes, finding.Note{Pos: d.pos(s.load), Message: "the goroutine reads it here"})
	}
	return f
}
