package atomicset

import "github.com/atomvet/atomvet/passes/atomicset/internal/model"

// A pairing says whether, and how, two processes can run concurrently.
type pairing struct {
	parent int // 0 or 1 if that process starts the other, else -1
	ok     bool
}

// pair returns whether two processes can run concurrently on one object.
func (a *analyzed) pair(p, q *process) pairing {
	if p.cand.base.IsGlobal() && q.cand.base.IsGlobal() && p.cand.base != q.cand.base {
		return pairing{} // two different objects
	}
	switch {
	case p.main && q.main:
		return pairing{}
	case p.main:
		return pairing{0, a.starts(p, q)}
	case q.main:
		return pairing{1, a.starts(q, p)}
	}
	if p.outline != nil || q.outline != nil {
		return pairing{-1, !p.encapsulated() && !q.encapsulated()}
	}
	if !a.pkg.Processes().ConcurrentOn(p.fn, p.cand.base, q.fn, q.cand.base) {
		return pairing{}
	}
	for _, m := range a.processes {
		// Of two goroutines of one program, one may end before the other begins.
		if m.main && a.starts(m, p) && a.starts(m, q) && !a.coexist(m, p, q) {
			return pairing{}
		}
	}
	return pairing{-1, true}
}

// starts reports whether a process starts another.
func (a *analyzed) starts(p, q *process) bool {
	for _, i := range a.model.Reachable(p.proc) {
		for _, n := range a.model.Procs[i].Nodes {
			if n.Op == model.Start && n.Arg == q.proc {
				return true
			}
		}
	}
	return false
}

// coexist reports whether main may start one of two processes while the other is running:
// it has started the other and not yet waited for its end. Calls are followed without
// matching returns.
func (a *analyzed) coexist(m, p, q *process) bool {
	return a.startsWithout(m, p, q) || a.startsWithout(m, q, p)
}

// startsWithout reports whether there is a path in main from the start of p to the start
// of q without a wait for p.
func (a *analyzed) startsWithout(m, p, q *process) bool {
	type point struct{ proc, node int }
	seen := make(map[point]bool)
	var work []point
	visit := func(proc int, nodes ...int) {
		for _, n := range nodes {
			if at := (point{proc, n}); !seen[at] {
				seen[at] = true
				work = append(work, at)
			}
		}
	}
	procs := a.model.Reachable(m.proc)
	returns := func(proc int) {
		for _, i := range procs {
			for _, n := range a.model.Procs[i].Nodes {
				if n.Op == model.Call && n.Arg == proc {
					visit(i, n.Succs...)
				}
			}
		}
	}
	for _, i := range procs {
		for _, n := range a.model.Procs[i].Nodes {
			if n.Op == model.Start && n.Arg == p.proc {
				visit(i, n.Succs...)
			}
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		n := a.model.Procs[at.proc].Nodes[at.node]
		switch n.Op {
		case model.Start:
			if n.Arg == q.proc {
				return true
			}
		case model.Join:
			if n.Arg == p.proc {
				continue
			}
		case model.Return:
			returns(at.proc)
			continue
		case model.Call:
			visit(n.Arg, 0)
			continue
		}
		visit(at.proc, n.Succs...)
	}
	return false
}
