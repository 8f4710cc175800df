// Package p2p schedules connections to other nodes.
package p2p

import (
	"errors"
	"sync"
)

var (
	errAlreadyDialing   = errors.New("already dialing")
	errAlreadyConnected = errors.New("already connected")
)

// Node is a node of the network.
type Node struct {
	ID   string
	Addr string
}

// Dialer makes a connection. If it becomes a peer, peerAdded has been called
// before Dialer returns.
type Dialer func(n *Node) error

type dialTask struct {
	dest *Node
	err  error
}

// dialScheduler creates outbound connections. All fields below the channels
// belong to loop.
type dialScheduler struct {
	dial      Dialer
	wg        sync.WaitGroup
	quit      chan struct{}
	stopOnce  sync.Once
	nodesCh   chan *Node
	doneCh    chan *dialTask
	addPeerCh chan *Node
	remPeerCh chan *Node
	statsCh   chan chan int

	dialing map[string]*dialTask
	peers   map[string]struct{}
	queue   []*Node
	max     int
}

func newDialScheduler(dial Dialer, max int) *dialScheduler {
	d := &dialScheduler{
		dial:      dial,
		quit:      make(chan struct{}),
		nodesCh:   make(chan *Node),
		doneCh:    make(chan *dialTask),
		addPeerCh: make(chan *Node),
		remPeerCh: make(chan *Node),
		statsCh:   make(chan chan int),
		dialing:   make(map[string]*dialTask),
		peers:     make(map[string]struct{}),
		max:       max,
	}
	d.wg.Add(1)
	go d.loop()
	return d
}

// stop ends the scheduler and waits for its dials.
func (d *dialScheduler) stop() {
	d.stopOnce.Do(func() { close(d.quit) })
	d.wg.Wait()
}

func send[T any](d *dialScheduler, ch chan<- T, v T) {
	select {
	case ch <- v:
	case <-d.quit:
	}
}

func (d *dialScheduler) addNode(n *Node)     { send(d, d.nodesCh, n) }
func (d *dialScheduler) peerAdded(n *Node)   { send(d, d.addPeerCh, n) }
func (d *dialScheduler) peerRemoved(n *Node) { send(d, d.remPeerCh, n) }

// active returns the number of dials and peers.
func (d *dialScheduler) active() int {
	reply := make(chan int, 1)
	send(d, d.statsCh, reply)
	select {
	case n := <-reply:
		return n
	case <-d.quit:
		return 0
	}
}

func (d *dialScheduler) loop() {
	defer d.wg.Done()
	for {
		for len(d.queue) > 0 && len(d.dialing)+len(d.peers) < d.max {
			n := d.queue[0]
			d.queue = d.queue[1:]
			if d.checkDial(n) == nil {
				d.startDial(n)
			}
		}
		select {
		case n := <-d.nodesCh:
			d.queue = append(d.queue, n)
		case task := <-d.doneCh:
			delete(d.dialing, task.dest.ID)
		case n := <-d.addPeerCh:
			d.peers[n.ID] = struct{}{}
		case n := <-d.remPeerCh:
			delete(d.peers, n.ID)
		case reply := <-d.statsCh:
			reply <- len(d.dialing) + len(d.peers)
		case <-d.quit:
			return
		}
	}
}

func (d *dialScheduler) checkDial(n *Node) error {
	if _, ok := d.dialing[n.ID]; ok {
		return errAlreadyDialing
	}
	if _, ok := d.peers[n.ID]; ok {
		return errAlreadyConnected
	}
	return nil
}

func (d *dialScheduler) startDial(n *Node) {
	task := &dialTask{dest: n}
	d.dialing[n.ID] = task
	d.wg.Add(1)
	go func() {
		defer d.wg.Done()
		task.err = d.dial(task.dest)
		send(d, d.doneCh, task)
	}()
}
