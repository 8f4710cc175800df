package papers

import "sync"

// "sor", which is util.concurrent: the copy-on-write list and the heap.

type Collection interface {
	Len() int
	Items() []string
}

type Bag struct {
	mu    sync.RWMutex
	items []string
}

func (b *Bag) Add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, s)
}

func (b *Bag) RemoveLast() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = b.items[:len(b.items)-1]
}

func (b *Bag) Len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.items)
}

func (b *Bag) Items() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return append([]string(nil), b.items...)
}

type CopyOnWrite struct {
	mu    sync.Mutex
	array []string
}

func (l *CopyOnWrite) AddAll(c Collection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := c.Len()
	if n == 0 {
		return false
	}
	array := make([]string, len(l.array)+n)
	copy(array, l.array)
	for i, s := range c.Items() { // want `reacquire: c\.mu is taken again here, after line 49, in one critical section of l\.mu; what the first passage reads of c\.items may be changed in between by \(\*Bag\)\.Add`
		array[len(l.array)+i] = s
	}
	l.array = array
	return true
}

func (l *CopyOnWrite) AddAllAbsent(c Collection) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := c.Len()
	if n == 0 {
		return 0
	}
	fresh := make([]string, n)
	added := 0
	for _, s := range c.Items() { // want `reacquire: c\.mu is taken again here, after line 65, in one critical section of l\.mu; what the first passage reads of c\.items may be changed in between by \(\*Bag\)\.Add`
		if !l.has(s) {
			fresh[added] = s
			added++
		}
	}
	l.array = append(l.array[:len(l.array):len(l.array)], fresh[:added]...)
	return added
}

func (l *CopyOnWrite) has(s string) bool {
	for _, t := range l.array {
		if s == t {
			return true
		}
	}
	return false
}

func (l *CopyOnWrite) AddBagOnce(b *Bag) {
	l.mu.Lock()
	defer l.mu.Unlock()
	items := b.Items()
	array := make([]string, len(l.array)+len(items))
	n := copy(array, l.array)
	copy(array[n:], items)
	l.array = array
}

// The heap compares what is inserted with the nodes above. There is one call,
// and it locks the item in each round.

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

func (i *Item) Less(than int) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.prio < than
}

type Heap struct {
	mu    sync.Mutex
	nodes []*Item
}

func (h *Heap) Insert(x *Item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nodes = append(h.nodes, nil)
	k := len(h.nodes) - 1
	for k > 0 {
		parent := (k - 1) / 2
		if !x.Less(h.nodes[parent].Prio()) { // want `reacquire: x\.mu is taken again in each round of the loop, in one critical section of h\.mu; what the first passage reads of x\.prio may be changed in between by \(\*Item\)\.SetPrio`
			break
		}
		h.nodes[k] = h.nodes[parent]
		k = parent
	}
	h.nodes[k] = x
}

func (h *Heap) InsertOnce(x *Item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nodes = append(h.nodes, nil)
	k := len(h.nodes) - 1
	prio := x.Prio()
	for k > 0 {
		parent := (k - 1) / 2
		if prio >= h.nodes[parent].Prio() {
			break
		}
		h.nodes[k] = h.nodes[parent]
		k = parent
	}
	h.nodes[k] = x
}
