// Package gossip passes notes between nodes. Every note has a time of a clock
// that only orders notes.
package gossip

import (
	"sync"
	"sync/atomic"
)

// Time is a time of a Clock.
type Time uint64

// Clock is a logical clock. It is safe for concurrent use.
type Clock struct {
	now atomic.Uint64
}

// Now returns the time.
func (c *Clock) Now() Time { return Time(c.now.Load()) }

// Tick moves the clock on and returns the new time.
func (c *Clock) Tick() Time { return Time(c.now.Add(1)) }

// Witness moves the clock past a time that was seen.
func (c *Clock) Witness(seen Time) {
	for {
		now := c.now.Load()
		if uint64(seen) < now {
			return
		}
		if c.now.CompareAndSwap(now, uint64(seen)+1) {
			return
		}
	}
}

// Note is what is passed on.
type Note struct {
	At   Time
	From string
	Text string
}

// recent holds the notes of one time.
type recent struct {
	at    Time
	notes []Note
}

// Node passes notes on, each of them once.
type Node struct {
	name  string
	clock Clock
	send  func(Note)

	mu     sync.Mutex
	floor  Time     // notes before are not taken
	buffer []recent // a ring, by time
	count  int
}

// NewNode returns a node that remembers the notes of the last size times. The
// function send must not call the node.
func NewNode(name string, size int, send func(Note)) *Node {
	n := &Node{name: name, send: send, buffer: make([]recent, size)}
	n.clock.Tick() // 0 is no time
	return n
}

// Post makes a note and passes it on.
func (n *Node) Post(text string) {
	note := Note{At: n.clock.Tick(), From: n.name, Text: text}
	n.mu.Lock()
	defer n.mu.Unlock()
	// It is passed on even if others have gone far ahead since.
	n.remember(note)
	n.pass(note)
}

// Receive is called with the notes of other nodes.
func (n *Node) Receive(note Note) {
	n.clock.Witness(note.At)
	n.take(note)
}

// take passes a note on unless it is known or too old.
func (n *Node) take(note Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if note.At < n.floor {
		return
	}
	// A time that has passed since does no harm: more is taken for too old.
	now := n.clock.Now()
	if size := Time(len(n.buffer)); now > size && note.At <= now-size {
		return
	}
	if n.remember(note) {
		n.pass(note)
	}
}

// remember returns false if the note is known, or so old that it cannot be
// remembered. The lock is held.
func (n *Node) remember(note Note) bool {
	slot := &n.buffer[note.At%Time(len(n.buffer))]
	if slot.at > note.At {
		return false
	}
	if slot.at < note.At {
		slot.at, slot.notes = note.At, nil
	}
	for _, old := range slot.notes {
		if old == note {
			return false
		}
	}
	slot.notes = append(slot.notes, note)
	return true
}

// pass passes a note on. The lock is held.
func (n *Node) pass(note Note) {
	n.count++
	n.send(note)
}

// Ignore lets the node take no notes from before the present time.
func (n *Node) Ignore() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.floor = max(n.floor, n.clock.Now())
}

// Count returns how many notes were passed on.
func (n *Node) Count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}
