package check

import "github.com/atomvet/atomvet/passes/atomicset/internal/model"

// A program is a model in the form that the checker follows: a wait is two steps, and the
// steps inside units of work are marked.
type program struct {
	m     *model.Model
	procs []proc
	// tooMany says that the model has more locks than histories can name.
	tooMany bool
}

type proc struct {
	nodes []node
	// recursive says that the procedure can call itself.
	recursive bool
}

// A node is a step, with its index in the model.
type node struct {
	model.Node
	origin int // index in the model
	// inUnit says that the step is in a unit of work that its procedure
	// begins, and ends that it ends this unit.
	inUnit, ends bool
}

// startLock and endLock are held from the beginning by a process that starts another one,
// and by the process that it starts, until the start and the end of the latter: to wait
// for either is to take a lock.
const (
	startLock = maxLocks - 1
	endLock   = maxLocks - 2
)

func newProgram(m *model.Model) *program {
	p := &program{m: m, procs: make([]proc, len(m.Procs)), tooMany: len(m.Locks) > endLock}
	for i, mp := range m.Procs {
		p.procs[i] = newProc(mp)
		p.procs[i].recursive = m.Recursive(i)
	}
	return p
}

func newProc(mp *model.Proc) proc {
	nodes := make([]node, len(mp.Nodes))
	for i, n := range mp.Nodes {
		nodes[i] = node{Node: n, origin: i}
	}
	for i := range mp.Nodes {
		if n := nodes[i]; n.Op == model.Wait {
			n.Op = model.Lock
			nodes = append(nodes, n)
			nodes[i].Op = model.Unlock
			nodes[i].Succs = []int{len(nodes) - 1}
		}
	}
	markUnits(nodes)
	return proc{nodes: nodes}
}

// markUnits finds the nodes in units of work. In a procedure that is not within a unit,
// the marks of unreachable nodes remain unset.
func markUnits(nodes []node) {
	if len(nodes) == 0 {
		return
	}
	depth := make([]int, len(nodes))
	seen := make([]bool, len(nodes))
	seen[0] = true
	for work := []int{0}; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		n := &nodes[i]
		d := depth[i]
		switch n.Op {
		case model.Begin:
			d++
		case model.End:
			n.ends = d == 1
			d--
		}
		n.inUnit = depth[i] > 0
		for _, s := range n.Succs {
			if !seen[s] {
				seen[s], depth[s] = true, d
				work = append(work, s)
			}
		}
	}
}
