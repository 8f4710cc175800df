// Package lockset computes which locks a function holds at each instruction.
//
// The lock state is a fixpoint over the control-flow graph. It has a must-hold part
// (locks held on every path to the instruction), which makes code atomic, and a may-hold
// part (locks held on some path), which distinguishes the release of a lock that was
// taken conditionally from the release of a lock of the caller. Every held lock has the
// sites where it may have been taken: two accesses under the same lock, taken at
// different sites, are in different critical sections, and other goroutines may have
// written in between.
//
// Locks are named by access paths. A lock whose path is unknown, or whose path is
// reassigned while it is held, is forgotten: no access is then atomic under it, and its
// release has no effect.
package lockset

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// Mode is how a lock is held.
type Mode uint8

const (
	Shared    Mode = iota // RLock: other readers may run
	Exclusive             // Lock
	Once                  // the body of a sync.Once: it runs at most once
)

// String returns the name of the mode.
func (m Mode) String() string {
	return [...]string{"shared", "exclusive", "once"}[m]
}

// A Guard is a lock, or an operation that is atomic by itself, in a mode.
type Guard struct {
	Path  accesspath.Path     // the lock, or the operand of the atomic operation
	Class accesspath.Location // declaration of locks of this kind
	Mode  Mode                // how it is held
}

// atomicMark is appended to the path and the class of a variable to name the guard of the
// atomic operations on it.
const atomicMark = "~"

// Atomic returns the guard of the atomic operations on a variable.
func Atomic(path accesspath.Path, loc accesspath.Location) Guard {
	return Guard{Path: path + atomicMark, Class: loc + atomicMark, Mode: Exclusive}
}

// IsAtomic reports whether the guard is that of an atomic operation. It is false for a
// guard whose path is unknown.
func (g Guard) IsAtomic() bool { return strings.HasSuffix(string(g.Path), atomicMark) }

// IsAtomicOf reports whether the guard is that of an atomic operation on a location.
func (g Guard) IsAtomicOf(l accesspath.Location) bool { return g.Class == l+atomicMark }

// Declaration returns the class of the lock, or the location that the operation works on.
func (g Guard) Declaration() accesspath.Location {
	return accesspath.Location(strings.TrimSuffix(string(g.Class), atomicMark))
}

// Declare returns the guard with that class or location replaced.
func (g Guard) Declare(l accesspath.Location) Guard {
	if strings.HasSuffix(string(g.Class), atomicMark) && l != "" {
		l += atomicMark
	}
	g.Class = l
	return g
}

// Object returns the path of the lock, or of the variable that the operation works on.
func (g Guard) Object() accesspath.Path {
	return accesspath.Path(strings.TrimSuffix(string(g.Path), atomicMark))
}

// Rename returns the guard with the path of its object translated.
func (g Guard) Rename(to func(accesspath.Path) accesspath.Path) Guard {
	path := to(g.Object())
	if g.IsAtomic() && path != accesspath.Unknown {
		path += atomicMark
	}
	g.Path = path
	return g
}

// Entry is the site of a lock that the caller of the function holds.
const Entry = -1

// Held is one lock in a State.
type Held struct {
	Guard
	Must  bool  // held on every path, not just on some
	Sites []int // ordinals of the instructions that may have taken it, sorted
}

// deferred is a defer statement that was executed.
type deferred struct {
	ord  int
	must bool
}

// A State is a set of held locks. The nil State is that of unreachable code: joining it
// changes nothing.
type State struct {
	Held   []Held // sorted by path
	defers []deferred
}

// Find returns the entry of the lock with the given path, or nil.
func (s *State) Find(p accesspath.Path) *Held {
	if s == nil {
		return nil
	}
	for i := range s.Held {
		if s.Held[i].Path == p {
			return &s.Held[i]
		}
	}
	return nil
}

func (s *State) clone() *State {
	return &State{Held: slices.Clone(s.Held), defers: slices.Clone(s.defers)}
}

// acquire adds a lock taken at site.
func (s *State) acquire(g Guard, must bool, site int) {
	h := Held{Guard: g, Must: must, Sites: []int{site}}
	i, found := slices.BinarySearchFunc(s.Held, g.Path, comparePath)
	if !found {
		s.Held = slices.Insert(s.Held, i, h)
		return
	}
	if !must {
		// The new site was reached on some paths only: the older sites remain possible.
		h.Must = s.Held[i].Must
		h.Sites = union(s.Held[i].Sites, h.Sites)
	}
	s.Held[i] = h
}

// release removes the lock with the given path and reports whether it was held.
func (s *State) release(p accesspath.Path) bool {
	i, found := slices.BinarySearchFunc(s.Held, p, comparePath)
	if found {
		s.Held = slices.Delete(s.Held, i, i+1)
	}
	return found
}

func comparePath(h Held, p accesspath.Path) int {
	switch {
	case h.Path < p:
		return -1
	case h.Path > p:
		return 1
	}
	return 0
}

// Join returns the state of code that is reached with state a or state b. It is
// commutative, associative and idempotent, and the nil State is its unit.
func Join(a, b *State) *State {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := new(State)
	i, j := 0, 0
	for i < len(a.Held) || j < len(b.Held) {
		switch {
		case j == len(b.Held) || i < len(a.Held) && a.Held[i].Path < b.Held[j].Path:
			h := a.Held[i]
			h.Must = false
			out.Held = append(out.Held, h)
			i++
		case i == len(a.Held) || b.Held[j].Path < a.Held[i].Path:
			h := b.Held[j]
			h.Must = false
			out.Held = append(out.Held, h)
			j++
		default:
			x, y := a.Held[i], b.Held[j]
			h := Held{
				Guard: Guard{Path: x.Path, Class: max(x.Class, y.Class), Mode: min(x.Mode, y.Mode)},
				Must:  x.Must && y.Must,
				Sites: union(x.Sites, y.Sites),
			}
			out.Held = append(out.Held, h)
			i++
			j++
		}
	}
	out.defers = joinDefers(a.defers, b.defers)
	return out
}

func joinDefers(a, b []deferred) []deferred {
	var out []deferred
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].ord < b[j].ord:
			out = append(out, deferred{a[i].ord, false})
			i++
		case i == len(a) || b[j].ord < a[i].ord:
			out = append(out, deferred{b[j].ord, false})
			j++
		default:
			out = append(out, deferred{a[i].ord, a[i].must && b[j].must})
			i++
			j++
		}
	}
	return out
}

// Equal reports whether a and b are the same state.
func Equal(a, b *State) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.defers, b.defers) &&
		slices.EqualFunc(a.Held, b.Held, func(x, y Held) bool {
			return x.Guard == y.Guard && x.Must == y.Must && slices.Equal(x.Sites, y.Sites)
		})
}

// union merges two sorted sets.
func union(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
