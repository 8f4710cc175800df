package callgraph

import (
	"slices"
	"strings"
	"testing"
)

// TestForwarders checks where the calls of forwarders come to, which of them code outside the package can call, and which are functions of
// their own.
func TestForwarders(t *testing.T) {
	g := graphOf(t, `package p

type T struct{ n int }

func (t *T) get() int { if t.n > 0 { return t.n }; return 0 }

func (t *T) Get() int { return t.get() }
func (t *T) peek() int { return t.get() }
func (t *T) look() int { return t.peek() }

// held is called under the lock.
func (t *T) held() int { return t.get() }

func (t *T) heldLocked() int { return t.get() }

// blocks until the clock strikes.
func (t *T) dead() int { return t.get() }

// one is another name.
//
//atomvet:unit
func (t *T) one() int { return t.get() }

// Each of ping and pong is the other one, and enter leads to them.
func (t *T) ping() int { return t.pong() }
func (t *T) pong() int { return t.ping() }
func (t *T) enter() int { return t.ping() }

type Reader interface{ read() int }

func (t *T) read() int { return t.get() }

func use(t *T, r Reader, again func() int) {
	t.Get()
	t.look()
	t.held()
	t.heldLocked()
	t.one()
	t.enter()
	r.read()
	use(t, r, t.peek)
}
`)
	nodes := make(map[string]*Node)
	for _, f := range g.Funcs {
		nodes[f.Fn.Name()] = f
	}
	var calls []string
	for _, c := range nodes["use"].Calls {
		calls = append(calls, g.Funcs[c.Callee].Fn.Name())
	}
	slices.Sort(calls)
	if got, want := strings.Join(calls, " "), "enter get get get get held heldLocked one use"; got != want {
		t.Errorf("use calls %s, want %s", got, want)
	}
	for _, test := range []struct {
		name               string
		forwards, bypassed bool
		calls              int
	}{
		{"get", false, false, 0}, {"Get", true, false, 1}, {"peek", true, true, 0}, {"look", true, true, 0}, {"held", false, false, 1},
		{"heldLocked", false, false, 1}, {"dead", true, false, 1}, {"one", false, false, 1}, {"read", true, true, 0},
		{"ping", false, false, 1}, {"pong", false, false, 1}, {"enter", false, false, 1},
	} {
		if f := nodes[test.name]; f.Forwards() != test.forwards || f.Bypassed != test.bypassed || len(f.Calls) != test.calls {
			t.Errorf("%s: forwards %t, bypassed %t, %d calls", test.name, f.Forwards(), f.Bypassed, len(f.Calls))
		}
	}
	if get := nodes["get"]; !g.Entered(get) || g.Callable(get) || !get.Public() || g.Entered(nodes["peek"]) {
		t.Errorf("get is not entered by Get")
	}
}
