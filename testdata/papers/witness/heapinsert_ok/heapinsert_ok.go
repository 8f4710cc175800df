// Package heapinsert_ok is Heap.insert of util.concurrent, from the paper about
// context and witness locks (Fig. 11, sor), repaired.
//
// Heap.Insert asks the item once for its priority, and compares and stores that.
package heapinsert_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Item struct {
	mu   sync.Mutex
	prio int
}

func (i *Item) SetPrio(p int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.prio = p
}

func (i *Item) Prio() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.prio
}

type node struct {
	key  int
	item *Item
}

// Heap has the item with the smallest key on top. An item keeps its key, even if
// its priority changes later.
type Heap struct {
	mu    sync.Mutex
	nodes []node
}

func (h *Heap) Insert(x *Item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := x.Prio()
	h.nodes = append(h.nodes, node{})
	k := len(h.nodes) - 1
	for k > 0 {
		parent := (k - 1) / 2
		if key >= h.nodes[parent].key {
			break
		}
		h.nodes[k] = h.nodes[parent]
		k = parent
		pause()
	}
	h.nodes[k] = node{key, x}
}

// Ordered says whether no node has a smaller key than the one above it.
func (h *Heap) Ordered() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k := 1; k < len(h.nodes); k++ {
		if h.nodes[k].key < h.nodes[(k-1)/2].key {
			return false
		}
	}
	return true
}

func Run() {
	h := &Heap{}
	var wg sync.WaitGroup
	for p := range 8 {
		x := &Item{prio: 8 - p}
		wg.Go(func() { h.Insert(x) })
		wg.Go(func() { x.SetPrio(p) })
	}
	wg.Wait()
	h.Ordered()
}
