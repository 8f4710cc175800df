package a

import (
	"errors"
	"sync"
	"time"
)

var errTimeout = errors.New("no reply")

type Node struct {
	ID   uint64
	Addr string
}

type transport interface {
	ping(id uint64, addr string) error
	waitping(id uint64) error
}

// bondproc is one bonding attempt. n and err are set before done is closed.
type bondproc struct {
	err  error
	n    *Node
	done chan struct{}
}

// Table bonds with nodes before it uses them.
type Table struct {
	net transport

	bondmu  sync.Mutex
	bonding map[uint64]*bondproc

	mutex sync.RWMutex
	nodes map[uint64]*Node
}

func NewTable(t transport) *Table {
	return &Table{net: t, bonding: make(map[uint64]*bondproc), nodes: make(map[uint64]*Node)}
}

func (tab *Table) lookup(id uint64) *Node {
	tab.mutex.RLock()
	defer tab.mutex.RUnlock()
	return tab.nodes[id]
}

// bond makes sure that the remote node is known. Concurrent calls for one node share
// the attempt.
func (tab *Table) bond(id uint64, addr string) (*Node, error) {
	if n := tab.lookup(id); n != nil {
		return n, nil
	}
	tab.bondmu.Lock()
	w := tab.bonding[id]
	if w != nil {
		tab.bondmu.Unlock()
		<-w.done
		return w.n, w.err
	}
	w = &bondproc{done: make(chan struct{})}
	tab.bonding[id] = w
	tab.bondmu.Unlock()

	tab.pingpong(w, id, addr)
	if w.err == nil {
		tab.mutex.Lock()
		tab.nodes[id] = w.n
		tab.mutex.Unlock()
	}
	close(w.done)

	tab.bondmu.Lock()
	delete(tab.bonding, id)
	tab.bondmu.Unlock()
	return w.n, w.err
}

func (tab *Table) pingpong(w *bondproc, id uint64, addr string) {
	if w.err = tab.net.ping(id, addr); w.err != nil {
		return
	}
	if w.err = tab.net.waitping(id); w.err != nil {
		w.err = errTimeout
		return
	}
	w.n = &Node{ID: id, Addr: addr}
}

// HandlePing is called by the read loop.
func (tab *Table) HandlePing(id uint64, addr string) {
	go tab.bond(id, addr)
}

// Refresh bonds with the given nodes now and then.
func (tab *Table) Refresh(seeds []Node, stop <-chan struct{}) {
	for {
		var wg sync.WaitGroup
		for _, n := range seeds {
			wg.Add(1)
			go func() {
				defer wg.Done()
				tab.bond(n.ID, n.Addr)
			}()
		}
		wg.Wait()
		select {
		case <-stop:
			return
		case <-time.After(time.Minute):
		}
	}
}
