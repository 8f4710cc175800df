package lockset

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// randomState returns a state over few locks, sites and defers, so that two of
// them have much in common. One in eight is the state of unreachable code.
func randomState(r *rand.Rand) *State {
	if r.Intn(8) == 0 {
		return nil
	}
	s := new(State)
	for i := range 4 {
		if r.Intn(2) == 0 {
			continue
		}
		h := Held{
			Guard: Guard{
				Path:  accesspath.Param(0).Field(string(rune('a' + i))),
				Class: accesspath.Location([]string{"", "p#S.mu", "p#T.mu"}[r.Intn(3)]),
				Mode:  Mode(r.Intn(int(Once) + 1)),
			},
			Must: r.Intn(2) == 0,
		}
		for site := Entry; site < 4; site++ {
			if r.Intn(2) == 0 {
				h.Sites = append(h.Sites, site)
			}
		}
		s.Held = append(s.Held, h)
	}
	for ord := range 3 {
		if r.Intn(2) == 0 {
			s.defers = append(s.defers, deferred{ord, r.Intn(2) == 0})
		}
	}
	return s
}

// TestJoinLaws checks that joining is a lattice's join: the fixpoint ends, and
// does not depend on the order of the blocks.
func TestJoinLaws(t *testing.T) {
	const rounds = 20000
	r := rand.New(rand.NewSource(1))
	equal := func(law string, a, b *State) {
		if !Equal(a, b) {
			t.Fatalf("%s:\n%s\n%s", law, dump(a), dump(b))
		}
	}
	for range rounds {
		a, b, c := randomState(r), randomState(r), randomState(r)
		before := dump(a) + dump(b)
		ab := Join(a, b)
		if after := dump(a) + dump(b); after != before {
			t.Fatalf("Join changes its operands:\n%s\n%s", before, after)
		}
		equal("commutative", ab, Join(b, a))
		equal("associative", Join(ab, c), Join(a, Join(b, c)))
		equal("idempotent", Join(a, a), a)
		equal("absorbing", Join(ab, a), ab)
		equal("unit on the left", Join(nil, a), a)
		equal("unit on the right", Join(a, nil), a)
		below(t, a, ab)
		// Monotone: more in, more out.
		below(t, Join(a, c), Join(ab, c))
	}
}

// below checks that b is a safe approximation of a: what b says is held on
// every path is so in a, in no weaker mode, and what may be held in a may be in
// b, from the same sites.
func below(t *testing.T, a, b *State) {
	t.Helper()
	if a == nil {
		return
	}
	for _, h := range b.Held {
		if !h.Must {
			continue
		}
		g := a.Find(h.Path)
		if g == nil || !g.Must || g.Mode < h.Mode {
			t.Fatalf("%s is held in\n%s\nbut not in\n%s", h.Path, dump(b), dump(a))
		}
	}
	for _, h := range a.Held {
		g := b.Find(h.Path)
		if g == nil {
			t.Fatalf("%s may be held in\n%s\nbut not in\n%s", h.Path, dump(a), dump(b))
		}
		for _, site := range h.Sites {
			if !slices.Contains(g.Sites, site) {
				t.Fatalf("%s may be taken at %d in\n%s\nbut not in\n%s", h.Path, site, dump(a), dump(b))
			}
		}
	}
	for _, d := range a.defers {
		if !slices.ContainsFunc(b.defers, func(e deferred) bool { return d.ord == e.ord && (d.must || !e.must) }) {
			t.Fatalf("defer %v is in\n%s\nbut not in\n%s", d, dump(a), dump(b))
		}
	}
}

func dump(s *State) string {
	if s == nil {
		return "unreachable"
	}
	return fmt.Sprint(s.Held, s.defers)
}

// TestAcquireRelease checks that the list of locks stays sorted, without
// duplicates, and that releasing undoes acquiring.
func TestAcquireRelease(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		s := randomState(r)
		if s == nil {
			continue
		}
		p := accesspath.Param(0).Field(string(rune('a' + r.Intn(5))))
		old := s.Find(p)
		var had Held
		if old != nil {
			had = *old
		}
		site := 10 + r.Intn(3)
		must := r.Intn(2) == 0
		s.acquire(Guard{Path: p, Mode: Exclusive}, must, site)
		h := s.Find(p)
		switch {
		case h == nil || !slices.Contains(h.Sites, site):
			t.Fatalf("%s is not taken at %d in %s", p, site, dump(s))
		case must && (!h.Must || len(h.Sites) != 1):
			t.Fatalf("%s must have been taken at %d alone: %s", p, site, dump(s))
		case !must && (h.Must != had.Must || len(h.Sites) != len(had.Sites)+1):
			t.Fatalf("%s may have been taken before: %s", p, dump(s))
		}
		if !slices.IsSortedFunc(s.Held, func(x, y Held) int { return comparePath(x, y.Path) }) {
			t.Fatalf("not sorted: %s", dump(s))
		}
		if !s.release(p) || s.Find(p) != nil || s.release(p) {
			t.Fatalf("%s is not released once: %s", p, dump(s))
		}
	}
	var unreachable *State
	if unreachable.Find("p0.mu") != nil {
		t.Error("a lock is held in code that cannot be reached")
	}
}

func TestReadLocker(t *testing.T) {
	p := accesspath.Param(0).Field("rw")
	if base, ok := readLocker(ReadLocker(p)); !ok || base != p {
		t.Errorf("readLocker(ReadLocker(%s)) = %s, %t", p, base, ok)
	}
	for _, p := range []accesspath.Path{"", "p0", p, p.Index("p1")} {
		if _, ok := readLocker(p); ok {
			t.Errorf("%q is taken for a read locker", p)
		}
	}
}

func TestModeString(t *testing.T) {
	for m, want := range map[Mode]string{Shared: "shared", Exclusive: "exclusive", Once: "once"} {
		if got := m.String(); got != want {
			t.Errorf("%d: got %s, want %s", m, got, want)
		}
	}
}
