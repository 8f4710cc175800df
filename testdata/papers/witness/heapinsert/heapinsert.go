// Package heapinsert is Heap.insert of util.concurrent, from the paper about
// context and witness locks (Fig. 11, sor).
//
// Heap.Insert holds the heap and compares the new item with one node after the
// other on the way up. Each comparison locks the item, and so does asking for the
// key it is stored with. Item.SetPrio may come between: the item has gone up for
// its old priority and stays there with its new one, above smaller keys, and the
// heap is out of order for good.
package heapinsert

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

func (i *Item) Less(key int) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.prio < key
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
	h.nodes = append(h.nodes, node{})
	k := len(h.nodes) - 1
	for k > 0 {
		parent := (k - 1) / 2
		if !x.Less(h.nodes[parent].key) {
			break
		}
		h.nodes[k] = h.nodes[parent]
		k = parent
		pause()
	}
	h.nodes[k] = node{x.Prio(), x}
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
