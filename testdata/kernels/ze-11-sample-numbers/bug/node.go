// Package accession numbers the samples that arrive at a hospital laboratory.
// Several reception nodes run it; an election service makes one of them the
// primary of each epoch, and only the primary gives out numbers. A number is
// the epoch followed by a count, so that the nodes need not share a counter.
package accession

import "sync"

// Role is the part a node plays in an epoch.
type Role int

// The roles.
const (
	Standby Role = iota
	Primary
)

// Announcement is what the election service sends to every node when a new
// epoch begins. An epoch has exactly one primary, and a node that restarts
// takes part from the next epoch on.
type Announcement struct {
	Epoch   uint32
	Primary string
}

// Node is this node's view of the election. It is safe for concurrent use.
type Node struct {
	name string

	mu      sync.Mutex
	role    Role
	epoch   uint32
	primary string
}

// NewNode returns a standby that knows of no epoch.
func NewNode(name string) *Node { return &Node{name: name} }

// Observe takes note of an announcement. Announcements may be late or come
// twice; those not newer than the one in force are ignored.
func (n *Node) Observe(a Announcement) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a.Epoch <= n.epoch {
		return
	}
	n.epoch = a.Epoch
	n.primary = a.Primary
	n.role = Standby
	if a.Primary == n.name {
		n.role = Primary
	}
}

// Watch observes announcements until the channel is closed.
func (n *Node) Watch(in <-chan Announcement) {
	for a := range in {
		n.Observe(a)
	}
}

// IsPrimary tells whether this node is the primary.
func (n *Node) IsPrimary() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.role == Primary
}

// Epoch returns the epoch in force.
func (n *Node) Epoch() uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.epoch
}

// Leader returns the name of the primary, "" if none is known. Clients take
// it as a hint where to ask next.
func (n *Node) Leader() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.primary
}
