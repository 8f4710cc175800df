package discover

import "sync"

const bucketSize = 16

type Node struct {
	ID        string
	contested bool
}

type bucket struct {
	entries []*Node
}

type Table struct {
	ping          func(id string) error
	nodeAddedHook func(*Node)

	mutex   sync.Mutex
	buckets [17]*bucket
}

func newTable(ping func(string) error, hook func(*Node)) *Table {
	t := &Table{ping: ping, nodeAddedHook: hook}
	for i := range t.buckets {
		t.buckets[i] = new(bucket)
	}
	return t
}

func (tab *Table) bucketOf(n *Node) *bucket {
	return tab.buckets[len(n.ID)%len(tab.buckets)]
}

// add attempts to add n; a full bucket's last node is pinged first.
// The caller must not hold tab.mutex.
func (tab *Table) add(n *Node) {
	b := tab.bucketOf(n)
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	if b.bump(n) {
		return
	}
	var oldest *Node
	if len(b.entries) == bucketSize {
		oldest = b.entries[bucketSize-1]
		if oldest.contested {
			return
		}
		oldest.contested = true
		// Let other goroutines use the table while we ping.
		tab.mutex.Unlock()
		err := tab.ping(oldest.ID)
		tab.mutex.Lock()
		oldest.contested = false
		if err == nil {
			return
		}
	}
	if b.replace(n, oldest) && tab.nodeAddedHook != nil {
		tab.nodeAddedHook(n)
	}
}

func (b *bucket) bump(n *Node) bool {
	for i := range b.entries {
		if b.entries[i].ID == n.ID {
			e := b.entries[i]
			copy(b.entries[1:], b.entries[:i])
			b.entries[0] = e
			return true
		}
	}
	return false
}

func (b *bucket) replace(n *Node, last *Node) bool {
	for i := range b.entries {
		if b.entries[i].ID == n.ID {
			return false
		}
	}
	if len(b.entries) == bucketSize && (last == nil || b.entries[bucketSize-1].ID != last.ID) {
		return false
	}
	if len(b.entries) < bucketSize {
		b.entries = append(b.entries, nil)
	}
	copy(b.entries[1:], b.entries)
	b.entries[0] = n
	return true
}

func (tab *Table) delete(n *Node) {
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	b := tab.bucketOf(n)
	for i := range b.entries {
		if b.entries[i].ID == n.ID {
			b.entries = append(b.entries[:i], b.entries[i+1:]...)
			return
		}
	}
}
