package a

import "sync"

const bucketSize = 16

type Node struct {
	ID   uint64
	Addr string

	// contested is set while the node is being pinged in order to replace it;
	// guarded by Table.mu.
	contested bool
}

type Pinger interface {
	Ping(id uint64, addr string) error
}

// Table keeps the most recently active nodes in front.
type Table struct {
	net Pinger

	mu      sync.Mutex
	entries []*Node
}

func NewTable(p Pinger) *Table { return &Table{net: p} }

// add puts the node into the table. When that is full, the last node is pinged and
// replaced if it does not answer. Called by several goroutines.
func (t *Table) add(n *Node) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bump(n) {
		return false
	}
	var oldest *Node
	if len(t.entries) == bucketSize {
		oldest = t.entries[bucketSize-1]
		if oldest.contested {
			return false
		}
		oldest.contested = true
		t.mu.Unlock()
		err := t.net.Ping(oldest.ID, oldest.Addr)
		t.mu.Lock()
		oldest.contested = false
		if err == nil {
			return false
		}
	}
	return t.replace(n, oldest)
}

// replace puts n in front, in place of last if the table is full.
func (t *Table) replace(n, last *Node) bool {
	for _, e := range t.entries {
		if e.ID == n.ID {
			return false
		}
	}
	if len(t.entries) == bucketSize {
		if last == nil || t.entries[bucketSize-1] != last {
			return false
		}
	} else {
		t.entries = append(t.entries, nil)
	}
	copy(t.entries[1:], t.entries)
	t.entries[0] = n
	return true
}

func (t *Table) bump(n *Node) bool {
	for i, e := range t.entries {
		if e.ID == n.ID {
			copy(t.entries[1:], t.entries[:i])
			t.entries[0] = e
			return true
		}
	}
	return false
}

// HandlePing is called by the read loop.
func (t *Table) HandlePing(id uint64, addr string) {
	go t.add(&Node{ID: id, Addr: addr})
}

// Nodes returns the addresses, most recently active first.
func (t *Table) Nodes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.entries))
	for _, e := range t.entries {
		out = append(out, e.Addr)
	}
	return out
}
