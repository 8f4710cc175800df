// Package ok tells the application about changes of the leadership.
package ok

import (
	"sync"
	"sync/atomic"
)

// override sends v on ch, which has room for one value, in place of a value
// that nobody has received yet. There is only one sender.
func override(ch chan bool, v bool) {
	select {
	case ch <- v:
	case <-ch:
		select {
		case ch <- v:
		default:
			panic("leader: concurrent sender")
		}
	}
}

// Election reports if this node leads in a term.
type Election struct {
	Term uint64
	Won  bool
}

// Node follows elections in one goroutine.
type Node struct {
	elections chan Election
	leaderCh  chan bool
	term      atomic.Uint64
	leading   atomic.Bool

	stopOnce sync.Once
	stopCh   chan struct{}
	done     chan struct{}
}

// Start returns a node that follows elections until Stop is called.
func Start() *Node {
	n := &Node{
		elections: make(chan Election),
		leaderCh:  make(chan bool, 1),
		stopCh:    make(chan struct{}),
		done:      make(chan struct{}),
	}
	go n.run()
	return n
}

func (n *Node) run() {
	defer close(n.done)
	for {
		select {
		case e := <-n.elections:
			n.follow(e)
		case <-n.stopCh:
			n.setLeading(false)
			return
		}
	}
}

// follow is called by run.
func (n *Node) follow(e Election) {
	if e.Term <= n.term.Load() {
		return
	}
	n.term.Store(e.Term)
	n.setLeading(false)
	if e.Won {
		n.setLeading(true)
	}
}

func (n *Node) setLeading(lead bool) {
	if n.leading.Load() == lead {
		return
	}
	n.leading.Store(lead)
	override(n.leaderCh, lead)
}

// Elected passes the result of an election on.
func (n *Node) Elected(e Election) bool {
	select {
	case n.elections <- e:
		return true
	case <-n.done:
		return false
	}
}

// LeaderCh delivers the latest change.
func (n *Node) LeaderCh() <-chan bool { return n.leaderCh }

// Leading tells if the node leads, as far as it knows.
func (n *Node) Leading() bool { return n.leading.Load() }

// Stop ends the goroutine and waits for it.
func (n *Node) Stop() {
	n.stopOnce.Do(func() { close(n.stopCh) })
	<-n.done
}
