package cfgpath

// dominators is the dominator tree of the nodes that a search has entered. A node
// dominates another if the number of the other lies in its interval: the numbers are
// those of a preorder of the tree.
type dominators struct {
	first, last []int32 // by node: the numbers in its subtree
}

func (d *dominators) dominates(a, b int32) bool {
	return d.first[a] <= d.first[b] && d.first[b] < d.last[a]
}

// newDominators computes the tree by the algorithm SEMI-NCA (Georgiadis, Tarjan, Werneck:
// Finding dominators in practice, section 2.3). All arrays except the result are indexed
// by the number of a node in a depth-first search.
func newDominators(s *search) *dominators {
	nodes, parent, num := s.depthFirst()
	n := len(nodes)
	e := &eval{link: append([]int32(nil), parent...), semi: make([]int32, n), label: make([]int32, n)}
	for i := range int32(n) {
		e.semi[i], e.label[i] = i, i
	}
	for w := int32(n) - 1; w > 0; w-- {
		semi := parent[w]
		s.predecessors(nodes[w], func(v int32) { semi = min(semi, e.semi[e.eval(num[v], w+1)]) })
		e.semi[w] = semi
	}
	idom := parent
	for w := 1; w < n; w++ {
		for idom[w] > e.semi[w] {
			idom[w] = idom[idom[w]]
		}
	}
	return intervals(nodes, idom, int(s.root)+1)
}

// depthFirst returns the nodes in the order of a depth-first search, the number of the
// parent of each, and the number of each node.
func (s *search) depthFirst() (nodes, parent, num []int32) {
	num = make([]int32, s.root+1)
	for i := range num {
		num[i] = -1
	}
	type step struct{ node, parent int32 }
	work := []step{{s.root, -1}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if num[at.node] >= 0 {
			continue
		}
		number := int32(len(nodes))
		num[at.node] = number
		nodes, parent = append(nodes, at.node), append(parent, at.parent)
		if s.ends(at.node) {
			continue
		}
		block, _ := s.segment(at.node)
		for _, succ := range s.p.fn.Blocks[block].Succs {
			if num[succ.Index] < 0 && !s.leavesOut(succ) {
				work = append(work, step{int32(succ.Index), number})
			}
		}
	}
	return nodes, parent, num
}

// An eval is the forest of the algorithm, with path compression.
type eval struct {
	link, semi, label []int32
	path              []int32
}

// eval returns the node with the lowest semidominator on the path from v up to the last
// linked node, whose number is linked.
func (e *eval) eval(v, linked int32) int32 {
	if e.link[v] < linked {
		return e.label[v]
	}
	e.path = e.path[:0]
	for ; e.link[v] >= linked; v = e.link[v] {
		e.path = append(e.path, v)
	}
	top, label := v, e.label[v]
	for i := len(e.path) - 1; i >= 0; i-- {
		v = e.path[i]
		e.link[v] = e.link[top]
		if e.semi[label] < e.semi[e.label[v]] {
			e.label[v] = label
		} else {
			label = e.label[v]
		}
		top = v
	}
	return e.label[v]
}

// intervals numbers the tree given by idom, in which a parent has a lower index than its
// children.
func intervals(nodes, idom []int32, size int) *dominators {
	weight, next := make([]int32, len(nodes)), make([]int32, len(nodes))
	for w := len(nodes) - 1; w >= 0; w-- {
		weight[w]++
		if w > 0 {
			weight[idom[w]] += weight[w]
		}
	}
	d := &dominators{make([]int32, size), make([]int32, size)}
	for w, node := range nodes {
		at := int32(0)
		if w > 0 {
			at = next[idom[w]]
			next[idom[w]] += weight[w]
		}
		next[w] = at + 1
		d.first[node], d.last[node] = at, at+weight[w]
	}
	return d
}
