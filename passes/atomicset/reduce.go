package atomicset

import (
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

// A size tells how large a model is.
type size struct{ procs, nodes, locks int }

func sizeOf(m *model.Model) size { return size{len(m.Procs), m.Size(), len(m.Locks)} }

// reduce leaves out of a model what cannot change the answer: locks under which
// no location of the set is accessed, procedures that do nothing then, steps
// that do nothing, and procedures that no process gets to (Kidd et al., section
// 6, reduce the call graph alike). Processes keep their procedures.
func reduce(m *model.Model, roots []int) {
	dropLocks(m, roots)
	dropCalls(m)
	for _, p := range m.Procs {
		compress(p)
	}
	live := make(map[int]bool)
	for _, r := range roots {
		for _, p := range m.Reachable(r) {
			live[p] = true
		}
	}
	for i, p := range m.Procs {
		if !live[i] {
			p.Nodes = nil
		}
	}
}

// count returns the size of what is left of a reduced model.
func count(m *model.Model) size {
	s := size{nodes: m.Size()}
	used := make(map[int]bool)
	for _, p := range m.Procs {
		if len(p.Nodes) > 0 {
			s.procs++
		}
		for _, n := range p.Nodes {
			if isLockOp(n.Op) {
				used[n.Arg] = true
			}
		}
	}
	s.locks = len(used)
	return s
}

func isLockOp(op model.Op) bool { return op >= model.Lock && op <= model.Wait }

// dropLocks removes the operations on locks that are never held at an access.
// What may be held is propagated along edges and calls, without regard to where
// calls return, so that no lock that matters is lost. The locks that are left
// are numbered anew.
func dropLocks(m *model.Model, roots []int) {
	around := heldAround(m, roots)
	number := make(map[int]int)
	var names []string
	for l, name := range m.Locks {
		if around[l] {
			number[l] = len(names)
			names = append(names, name)
		}
	}
	for _, p := range m.Procs {
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if !isLockOp(n.Op) {
				continue
			}
			if to, ok := number[n.Arg]; ok {
				n.Arg = to
			} else {
				n.Op, n.Arg = model.Skip, 0
			}
		}
	}
	m.Locks = names
}

// heldAround returns the locks that may be held at some access.
func heldAround(m *model.Model, roots []int) map[int]bool {
	type locks map[int]bool
	held := make([][]locks, len(m.Procs)) // before each node
	exit := make([]locks, len(m.Procs))
	callers := make([][][2]int, len(m.Procs))
	for i, p := range m.Procs {
		held[i] = make([]locks, len(p.Nodes))
		exit[i] = make(locks)
		for j, n := range p.Nodes {
			held[i][j] = make(locks)
			if n.Op == model.Call {
				callers[n.Arg] = append(callers[n.Arg], [2]int{i, j})
			}
		}
	}
	var work [][2]int
	seen := make(map[[2]int]bool)
	flow := func(from locks, proc, node int) {
		if node >= len(held[proc]) {
			return
		}
		at := [2]int{proc, node}
		changed := !seen[at]
		seen[at] = true
		for l := range from {
			if !held[proc][node][l] {
				held[proc][node][l], changed = true, true
			}
		}
		if changed {
			work = append(work, at)
		}
	}
	for _, r := range roots {
		flow(nil, r, 0)
	}
	around := make(map[int]bool)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		n := m.Procs[at[0]].Nodes[at[1]]
		now := make(locks)
		for l := range held[at[0]][at[1]] {
			now[l] = true
		}
		switch n.Op {
		case model.Lock, model.RLock:
			now[n.Arg] = true
		case model.Unlock, model.RUnlock:
			delete(now, n.Arg)
		case model.Read, model.Write:
			for l := range now {
				around[l] = true
			}
		case model.Call:
			flow(now, n.Arg, 0)
			now = exit[n.Arg]
			if len(now) == 0 && !returned(m, n.Arg, seen) {
				continue
			}
		case model.Return:
			for l := range now {
				exit[at[0]][l] = true
			}
			for _, c := range callers[at[0]] {
				if seen[c] {
					for _, s := range m.Procs[c[0]].Nodes[c[1]].Succs {
						flow(exit[at[0]], c[0], s)
					}
				}
			}
		}
		for _, s := range n.Succs {
			flow(now, at[0], s)
		}
	}
	return around
}

// returned reports whether control has been seen to return from a procedure.
func returned(m *model.Model, proc int, seen map[[2]int]bool) bool {
	for i, n := range m.Procs[proc].Nodes {
		if n.Op == model.Return && seen[[2]int{proc, i}] {
			return true
		}
	}
	return false
}

// dropCalls removes the calls of procedures that do nothing.
func dropCalls(m *model.Model) {
	live := make([]bool, len(m.Procs))
	for changed := true; changed; {
		changed = false
		for i, p := range m.Procs {
			if !live[i] && slices.ContainsFunc(p.Nodes, func(n model.Node) bool { return acts(n, live) }) {
				live[i], changed = true, true
			}
		}
	}
	for _, p := range m.Procs {
		for i := range p.Nodes {
			if n := &p.Nodes[i]; n.Op == model.Call && !live[n.Arg] {
				n.Op, n.Arg = model.Skip, 0
			}
		}
	}
}

// acts reports whether a step matters by itself, or because of what it calls.
func acts(n model.Node, live []bool) bool {
	switch n.Op {
	case model.Skip, model.Begin, model.End, model.Return:
		return false
	case model.Call:
		return live[n.Arg]
	}
	return true
}

// compress removes the steps of a procedure that do nothing, as long as that
// does not make more edges than there were, and what cannot be reached.
func compress(p *model.Proc) {
	if len(p.Nodes) == 0 {
		return
	}
	for changed := true; changed; {
		changed = false
		preds := make([]int, len(p.Nodes))
		for _, n := range p.Nodes {
			for _, s := range n.Succs {
				preds[s]++
			}
		}
		for i := range p.Nodes {
			n := &p.Nodes[i]
			for at := 0; at < len(n.Succs); at++ {
				s := n.Succs[at]
				skip := p.Nodes[s]
				if s == i || skip.Op != model.Skip || len(skip.Succs) == 0 || slices.Contains(skip.Succs, s) || preds[s] > 1 && len(skip.Succs) > 1 {
					continue
				}
				preds[s]--
				n.Succs = slices.Delete(slices.Clone(n.Succs), at, at+1)
				for _, t := range skip.Succs {
					if !slices.Contains(n.Succs, t) {
						n.Succs = append(n.Succs, t)
						preds[t]++
					}
				}
				changed = true
				at--
			}
		}
	}
	renumber(p)
}

// renumber keeps the nodes that can be reached, in their order.
func renumber(p *model.Proc) {
	seen := make([]bool, len(p.Nodes))
	seen[0] = true
	for work := []int{0}; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range p.Nodes[i].Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	number := make([]int, len(p.Nodes))
	var nodes []model.Node
	for i, n := range p.Nodes {
		if seen[i] {
			number[i] = len(nodes)
			nodes = append(nodes, n)
		}
	}
	for i := range nodes {
		for j, s := range nodes[i].Succs {
			nodes[i].Succs[j] = number[s]
		}
	}
	p.Nodes = nodes
}
