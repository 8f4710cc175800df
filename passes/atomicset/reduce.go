package atomicset

import (
	"maps"
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

// A size has the figures of the size of a model.
type size struct{ procs, nodes, locks int }

// reduce removes from a model what cannot change the answer: locks under which no
// location of the set is accessed, procedures and steps without effect, and procedures
// that no process reaches (Kidd et al., section 6, reduce the call graph alike).
// Processes keep their procedures.
func reduce(m *model.Model, roots []int) {
	dropLocks(m, roots)
	dropCalls(m)
	for _, p := range m.Procs {
		compress(p)
	}
	live := reachable(m, roots)
	for i, p := range m.Procs {
		if !live[i] {
			p.Nodes = nil
		}
	}
}

// reachable returns the procedures that the roots may run.
func reachable(m *model.Model, roots []int) map[int]bool {
	out := make(map[int]bool)
	for _, r := range roots {
		for _, p := range m.Reachable(r) {
			out[p] = true
		}
	}
	return out
}

// sizeOf returns the size of a model. Unreachable procedures do not count.
func sizeOf(m *model.Model) size {
	s := size{nodes: m.Size()}
	used := make(map[int]bool)
	for _, p := range m.Procs {
		if len(p.Nodes) > 0 {
			s.procs++
		}
		for _, n := range p.Nodes {
			if n.Op.OnLock() {
				used[n.Arg] = true
			}
		}
	}
	s.locks = len(used)
	return s
}

// dropLocks removes the operations on locks that are never held at an access. The
// remaining locks are renumbered.
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
			if !n.Op.OnLock() {
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

// lockSet is a set of locks, by index.
type lockSet map[int]bool

// add adds the elements of t, and reports whether the set has changed.
func (s lockSet) add(t lockSet) bool {
	n := len(s)
	for l := range t {
		s[l] = true
	}
	return len(s) > n
}

// A holder finds the locks that may be held at accesses. It has, for each procedure, the
// locks that may be held when it is called, those that it may have taken at each node,
// and those that it may return with.
type holder struct {
	m     *model.Model
	entry []lockSet
	taken [][]lockSet
	exit  []lockSet
}

// heldAround returns the locks that may be held at some access.
func heldAround(m *model.Model, roots []int) lockSet {
	h := &holder{m: m}
	for _, p := range m.Procs {
		h.entry = append(h.entry, make(lockSet))
		h.exit = append(h.exit, make(lockSet))
		sets := make([]lockSet, len(p.Nodes))
		for i := range sets {
			sets[i] = make(lockSet)
		}
		h.taken = append(h.taken, sets)
	}
	order := slices.Sorted(maps.Keys(reachable(m, roots)))
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- { // callees mostly have higher numbers
			changed = h.through(order[i]) || changed
		}
	}
	out := make(lockSet)
	for _, i := range order {
		for j, n := range m.Procs[i].Nodes {
			if n.Op == model.Read || n.Op == model.Write {
				out.add(h.taken[i][j])
				out.add(h.entry[i])
			}
		}
	}
	return out
}

// through propagates the held locks through a procedure, and reports whether a result
// that other procedures depend on has changed.
func (h *holder) through(proc int) bool {
	nodes := h.m.Procs[proc].Nodes
	if len(nodes) == 0 {
		return false
	}
	changed := false
	work := []int{0}
	queued := make([]bool, len(nodes))
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		queued[i] = true
		n := nodes[i]
		now := maps.Clone(h.taken[proc][i])
		switch n.Op {
		case model.Lock, model.RLock:
			now[n.Arg] = true
		case model.Unlock, model.RUnlock:
			delete(now, n.Arg)
		case model.Call:
			changed = h.entry[n.Arg].add(now) || changed
			changed = h.entry[n.Arg].add(h.entry[proc]) || changed
			now.add(h.exit[n.Arg])
		case model.Return:
			changed = h.exit[proc].add(now) || changed
		}
		for _, s := range n.Succs {
			if h.taken[proc][s].add(now) || !queued[s] {
				queued[s] = true
				work = append(work, s)
			}
		}
	}
	return changed
}

// dropCalls removes the calls of procedures without effect.
func dropCalls(m *model.Model) {
	live := make([]bool, len(m.Procs))
	for i, ends := range returning(m) {
		live[i] = !ends // the code after the call is unreachable
	}
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

// returning returns, by index, whether a procedure may return.
func returning(m *model.Model) []bool {
	out := make([]bool, len(m.Procs))
	for changed := true; changed; {
		changed = false
		for i, p := range m.Procs {
			if !out[i] && reachesReturn(p, out) {
				out[i], changed = true, true
			}
		}
	}
	return out
}

// reachesReturn reports whether there is a path to a return, if calls return as in
// returns.
func reachesReturn(p *model.Proc, returns []bool) bool {
	if len(p.Nodes) == 0 {
		return false
	}
	seen := make([]bool, len(p.Nodes))
	seen[0] = true
	for work := []int{0}; len(work) > 0; {
		n := p.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		if n.Op == model.Return {
			return true
		}
		if n.Op == model.Call && !returns[n.Arg] {
			continue
		}
		for _, s := range n.Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// acts reports whether a step has an effect, by itself or in its callee.
func acts(n model.Node, live []bool) bool {
	switch n.Op {
	case model.Skip, model.Begin, model.End, model.Return:
		return false
	case model.Call:
		return live[n.Arg]
	}
	return true
}

// compress removes the steps of a procedure without effect, as long as that does not
// increase the number of edges, and unreachable nodes.
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

// renumber keeps the reachable nodes, in their order.
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
