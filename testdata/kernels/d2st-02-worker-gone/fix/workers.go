// Package fix runs a worker for each share of a node.
package fix

import (
	"context"
	"errors"
	"sync"
)

var errNoWorker = errors.New("no such worker")

// ShareConfig describes a share.
type ShareConfig struct {
	ID     string
	Paused bool
	Peers  []string
}

func (c ShareConfig) sharedWith(peer string) bool {
	for _, p := range c.Peers {
		if p == peer {
			return true
		}
	}
	return false
}

// worker synchronises one share.
type worker struct {
	share string
	pullC chan struct{}
	pulls int
}

func newWorker(share string) *worker {
	return &worker{share: share, pullC: make(chan struct{}, 1)}
}

func (w *worker) schedulePull() {
	select {
	case w.pullC <- struct{}{}:
	default:
	}
}

func (w *worker) serve(ctx context.Context) error {
	for {
		select {
		case <-w.pullC:
			w.pulls++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// workerTable starts and stops workers by key.
type workerTable struct {
	mu      sync.Mutex
	workers map[string]*worker
	running map[string]handle
}

type handle struct {
	cancel func()
	ended  chan error
}

func newWorkerTable() *workerTable {
	return &workerTable{workers: make(map[string]*worker), running: make(map[string]handle)}
}

func (t *workerTable) add(key string, w *worker) {
	ctx, cancel := context.WithCancel(context.Background())
	h := handle{cancel: cancel, ended: make(chan error, 1)}
	t.mu.Lock()
	t.workers[key] = w
	t.running[key] = h
	t.mu.Unlock()
	go func() { h.ended <- w.serve(ctx) }()
}

func (t *workerTable) get(key string) *worker {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.workers[key]
}

// stopAndWait stops the worker but keeps it in the table. The channel produces
// one error.
func (t *workerTable) stopAndWait(key string) <-chan error {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := t.running[key]
	if !ok {
		c := make(chan error, 1)
		c <- errNoWorker
		return c
	}
	h.cancel()
	delete(t.running, key)
	return h.ended
}

// remove takes a worker out of the table, stopping it if it runs.
func (t *workerTable) remove(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h, ok := t.running[key]; ok {
		h.cancel()
	}
	delete(t.workers, key)
	delete(t.running, key)
}

type node struct {
	restartMut sync.Mutex // held over a removal or restart

	mut     sync.RWMutex
	cfgs    map[string]ShareConfig
	peers   map[string]int
	workers *workerTable
}

// NewNode returns a node without shares.
func NewNode() *node {
	return &node{cfgs: make(map[string]ShareConfig), peers: make(map[string]int), workers: newWorkerTable()}
}

func (n *node) startLocked(cfg ShareConfig) {
	n.cfgs[cfg.ID] = cfg
	if !cfg.Paused {
		n.workers.add(cfg.ID, newWorker(cfg.ID))
	}
}

func (n *node) cleanupLocked(id string) {
	n.workers.remove(id)
	delete(n.cfgs, id)
}

// AddShare adds a share.
func (n *node) AddShare(cfg ShareConfig) {
	n.restartMut.Lock()
	defer n.restartMut.Unlock()
	n.mut.Lock()
	defer n.mut.Unlock()
	n.startLocked(cfg)
}

func (n *node) removeShare(id string) {
	n.restartMut.Lock()
	defer n.restartMut.Unlock()

	ended := n.workers.stopAndWait(id)
	<-ended

	n.mut.Lock()
	defer n.mut.Unlock()
	n.cleanupLocked(id)
}

func (n *node) restartShare(to ShareConfig) {
	n.restartMut.Lock()
	defer n.restartMut.Unlock()

	ended := n.workers.stopAndWait(to.ID)
	<-ended

	n.mut.Lock()
	defer n.mut.Unlock()
	n.cleanupLocked(to.ID)
	n.startLocked(to)
}

// PeerConnected is called for each new connection.
func (n *node) PeerConnected(peer string) int {
	n.mut.Lock()
	n.peers[peer]++
	n.mut.Unlock()

	n.mut.RLock()
	defer n.mut.RUnlock()
	shared := 0
	for id, cfg := range n.cfgs {
		if cfg.Paused || !cfg.sharedWith(peer) {
			continue
		}
		shared++
		// This new connection might help us get in sync.
		n.workers.get(id).schedulePull()
	}
	return shared
}
