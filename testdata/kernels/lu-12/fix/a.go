package a

import (
	"math/bits"
	"net"
	"sync"
	"time"
)

const (
	nBuckets   = 64
	bucketSize = 16
)

type NodeID uint64

type Node struct {
	ID   NodeID
	Addr *net.UDPAddr

	// contested is set while the node is pinged in order to replace it.
	contested bool
}

type transport interface {
	ping(id NodeID, addr *net.UDPAddr) error
}

// bucket contains nodes, ordered by their last activity. The entry that was most
// recently active is the first one.
type bucket struct{ entries []*Node }

type Table struct {
	net  transport
	self NodeID

	mutex         sync.Mutex
	buckets       [nBuckets + 1]*bucket
	nodeAddedHook func(*Node)

	dbmu     sync.Mutex
	lastPing map[NodeID]time.Time
}

func NewTable(t transport, self NodeID) *Table {
	tab := &Table{net: t, self: self, lastPing: make(map[NodeID]time.Time)}
	for i := range tab.buckets {
		tab.buckets[i] = new(bucket)
	}
	return tab
}

func logdist(a, b NodeID) int { return bits.Len64(uint64(a ^ b)) }

// ping sends one ping packet to the node and waits for the answer.
func (tab *Table) ping(id NodeID, addr *net.UDPAddr) error {
	tab.dbmu.Lock()
	tab.lastPing[id] = time.Now()
	tab.dbmu.Unlock()
	return tab.net.ping(id, addr)
}

// add attempts to add the given node to its bucket. If the bucket is full, the
// least recently active node in it is pinged and replaced if it does not answer.
func (tab *Table) add(new *Node) {
	b := tab.buckets[logdist(tab.self, new.ID)]
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	if b.bump(new) {
		return
	}
	var oldest *Node
	if len(b.entries) == bucketSize {
		oldest = b.entries[bucketSize-1]
		if oldest.contested {
			return
		}
		oldest.contested = true
		// Let go of the mutex so other goroutines can access the table
		// while we ping.
		tab.mutex.Unlock()
		err := tab.ping(oldest.ID, oldest.Addr)
		tab.mutex.Lock()
		oldest.contested = false
		if err == nil {
			return
		}
	}
	added := b.replace(new, oldest)
	if added && tab.nodeAddedHook != nil {
		tab.nodeAddedHook(new)
	}
}

// replace adds n to the front of the bucket, in place of last if the bucket is full.
func (b *bucket) replace(n *Node, last *Node) bool {
	for _, e := range b.entries {
		if e.ID == n.ID {
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

// bump moves n to the front of the bucket if it is in it.
func (b *bucket) bump(n *Node) bool {
	for i := range b.entries {
		if b.entries[i].ID == n.ID {
			copy(b.entries[1:], b.entries[:i])
			b.entries[0] = n
			return true
		}
	}
	return false
}

// HandlePing adds the sender of a packet; called by the read loop.
func (tab *Table) HandlePing(id NodeID, addr *net.UDPAddr) {
	go tab.add(&Node{ID: id, Addr: addr})
}

// Closest returns the entries of the bucket of the target.
func (tab *Table) Closest(target NodeID) []*Node {
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	return append([]*Node(nil), tab.buckets[logdist(tab.self, target)].entries...)
}
