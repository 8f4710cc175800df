package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

func TestString(t *testing.T) {
	const text = `
		process a = p
		process b = q
		proc p { loop { rlock m choice { read x } or { call q } runlock m } }
		proc q { begin write x end stop }
	`
	const want = `process a = p
process b = q

proc p {
L0:
	skip
	goto L1 L6
L1:
	rlock m
	skip
	goto L3 L4
L3:
	read x
	goto L5
L4:
	call q
L5:
	runlock m
	goto L0
L6:
	return
}

proc q {
	begin
	write x
	end
	stop
}
`
	if got := parse(t, text).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// roundTrip parses the text of a model.
func roundTrip(t *testing.T, m *model.Model) {
	t.Helper()
	text := m.String()
	again, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got := again.String(); got != text {
		t.Fatalf("got\n%s\nwant\n%s", got, text)
	}
	if difference := differ(m, again); difference != "" {
		t.Fatalf("%s in the text of\n%s", difference, text)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			m, err := parseSafely(c.text())
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, m)
		})
	}
}

// TestRoundTripOrder has procedures that are named in another order than they
// come in.
func TestRoundTripOrder(t *testing.T) {
	for _, text := range []string{
		"proc a { }\nproc b { }\nprocess p = b\nprocess q = a",
		"proc a { call c }\nproc b { }\nproc c { }",
		"process p = c\nproc a { start b }\nproc b { }\nproc c { }",
	} {
		t.Run(text, func(t *testing.T) { roundTrip(t, parse(t, text)) })
	}
}

// TestPrintOrder has models that were not parsed, whose procedures come in any
// order.
func TestPrintOrder(t *testing.T) {
	ret := model.Node{Op: model.Return}
	call := func(p int) model.Node { return model.Node{Op: model.Call, Arg: p, Succs: []int{1}} }
	roundTrip(t, &model.Model{
		Procs: []*model.Proc{
			{Name: "a", Nodes: []model.Node{call(2), ret}},
			{Name: "b", Nodes: []model.Node{ret}},
			{Name: "c", Nodes: []model.Node{call(1), ret}},
		},
		Processes: []model.Process{{Name: "p", Proc: 2}, {Name: "q", Proc: 0}},
	})
}

// maxDepth bounds how deep the units of random models are nested.
const maxDepth = 3

// randomProc returns a procedure of any shape. Each node has a depth of units,
// which its successors have to fit.
func randomProc(r *rand.Rand, m *model.Model, name string) *model.Proc {
	depth := make([]int, 1+r.IntN(10))
	for i := range depth[1:] {
		depth[i+1] = r.IntN(maxDepth)
	}
	p := &model.Proc{Name: name, Nodes: make([]model.Node, len(depth))}
	for i := range p.Nodes {
		n, after := randomNode(r, m, depth[i])
		var next []int
		for j, d := range depth {
			if d == after {
				next = append(next, j)
			}
		}
		if n.Op != model.Return && len(next) > 0 {
			for range r.IntN(4) {
				n.Succs = append(n.Succs, next[r.IntN(len(next))])
			}
		}
		p.Nodes[i] = n
	}
	return p
}

// randomNode returns a node at a depth of units, and the depth after it.
func randomNode(r *rand.Rand, m *model.Model, depth int) (model.Node, int) {
	for {
		n := model.Node{Op: model.Op(r.IntN(int(model.Join) + 1))}
		switch n.Op {
		case model.Lock, model.RLock, model.Unlock, model.RUnlock, model.Wait:
			n.Arg = r.IntN(len(m.Locks))
		case model.Read, model.Write:
			n.Arg = r.IntN(len(m.Locations))
		case model.Call, model.Start, model.Join:
			n.Arg = r.IntN(len(m.Procs))
		case model.Begin:
			return n, depth + 1
		case model.End:
			if depth == 0 {
				continue
			}
			return n, depth - 1
		case model.Return:
			if depth > 0 {
				continue
			}
		}
		return n, depth
	}
}

// randomModel has a process for each procedure.
func randomModel(r *rand.Rand) *model.Model {
	m := &model.Model{Locks: []string{"m", "n"}, Locations: []string{"x", "y", "z"}, Procs: make([]*model.Proc, 1+r.IntN(3))}
	for i := range m.Procs {
		m.Procs[i] = randomProc(r, m, fmt.Sprint("p", i))
		m.Processes = append(m.Processes, model.Process{Name: fmt.Sprint("a", i), Proc: i})
	}
	return m
}

func TestRoundTripRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ops := make(map[model.Op]int)
	for range 3000 {
		m := randomModel(r)
		roundTrip(t, m)
		for _, p := range m.Procs {
			for _, n := range p.Nodes {
				ops[n.Op]++
			}
		}
	}
	for op := model.Skip; op <= model.Join; op++ {
		if ops[op] < 100 {
			t.Errorf("%v is in %d nodes only", op, ops[op])
		}
	}
}
