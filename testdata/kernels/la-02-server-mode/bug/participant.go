package etcd

import (
	"net/http"
	"sync"
	"time"
)

// participant takes part in the raft cluster until it is stopped or removed
// from the cluster.
type participant struct {
	id          int64
	pubAddr     string
	raftPubAddr string
	tick        time.Duration
	peerHub     *peerHub

	removec chan int64
	stopc   chan struct{}
	once    sync.Once
}

func newParticipant(id int64, pubAddr, raftPubAddr string, seeds map[string]bool, ph *peerHub, tick time.Duration) *participant {
	for s := range seeds {
		ph.add(s)
	}
	return &participant{
		id:          id,
		pubAddr:     pubAddr,
		raftPubAddr: raftPubAddr,
		tick:        tick,
		peerHub:     ph,
		removec:     make(chan int64, 1),
		stopc:       make(chan struct{}),
	}
}

// run returns the mode the server has to go to next.
func (p *participant) run() int64 {
	ticker := time.NewTicker(p.tick)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			p.peerHub.heartbeat(p.id)
		case id := <-p.removec:
			if id == p.id {
				return standbyMode
			}
		case <-p.stopc:
			return stopMode
		}
	}
}

func (p *participant) stop() {
	p.once.Do(func() { close(p.stopc) })
}

func (p *participant) serveRaftHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/raft/removed" {
		select {
		case p.removec <- p.id:
		default:
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// standby follows the cluster without taking part in it.
type standby struct {
	id      int64
	peerHub *peerHub
	stopc   chan struct{}
	once    sync.Once
}

func newStandby(id int64, nodes map[string]bool, ph *peerHub) *standby {
	return &standby{id: id, peerHub: ph, stopc: make(chan struct{})}
}

func (s *standby) run() int64 {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			if s.peerHub.hasRoom() {
				return participantMode
			}
		case <-s.stopc:
			return stopMode
		}
	}
}

func (s *standby) stop() {
	s.once.Do(func() { close(s.stopc) })
}

type peerHub struct {
	mu      sync.RWMutex
	seeds   []string
	peers   map[string]int
	c       *http.Client
	stopped bool
}

func newPeerHub(seeds []string, c *http.Client) *peerHub {
	return &peerHub{seeds: seeds, peers: make(map[string]int), c: c}
}

func (h *peerHub) add(url string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.peers[url] = 0
}

func (h *peerHub) heartbeat(id int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for u := range h.peers {
		h.peers[u]++
	}
}

func (h *peerHub) hasRoom() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return !h.stopped && len(h.peers) < 9
}

func (h *peerHub) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	h.peers = nil
}
