package rafthttp

import (
	"sync"
	"sync/atomic"
)

type message struct {
	to   uint64
	typ  int
	data []byte
}

type sender struct {
	msgc chan message

	mu      sync.Mutex
	stopped bool
}

func newSender() *sender { return &sender{msgc: make(chan message, 64)} }

func (s *sender) send(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	select {
	case s.msgc <- m:
	default:
	}
}

func (s *sender) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.stopped = true
		close(s.msgc)
	}
}

// peer is a member of the cluster.
type peer struct{ *sender }

// remote is a node that is known but not a member yet.
type remote struct{ *sender }

type Transport struct {
	dropped atomic.Int64

	mu      sync.RWMutex
	peers   map[uint64]*peer
	remotes map[uint64]*remote
}

func NewTransport() *Transport {
	return &Transport{
		peers:   make(map[uint64]*peer),
		remotes: make(map[uint64]*remote),
	}
}

func (t *Transport) Get(id uint64) *peer {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.peers[id]
}

func (t *Transport) getRemote(id uint64) *remote {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.remotes[id]
}

func (t *Transport) Send(msgs []message) {
	for _, m := range msgs {
		if m.to == 0 {
			// ignore intentionally dropped message
			continue
		}
		if p := t.Get(m.to); p != nil {
			p.send(m)
			continue
		}
		if g := t.getRemote(m.to); g != nil {
			g.send(m)
			continue
		}
		t.dropped.Add(1)
	}
}

func (t *Transport) AddRemote(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	if _, ok := t.remotes[id]; ok {
		return
	}
	t.remotes[id] = &remote{newSender()}
}

// AddPeer makes id a peer; a remote of that id becomes the peer.
func (t *Transport) AddPeer(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	if g, ok := t.remotes[id]; ok {
		delete(t.remotes, id)
		t.peers[id] = &peer{g.sender}
		return
	}
	t.peers[id] = &peer{newSender()}
}

func (t *Transport) RemovePeer(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.peers[id]; ok {
		p.stop()
		delete(t.peers, id)
	}
}

func (t *Transport) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.remotes {
		g.stop()
	}
	for _, p := range t.peers {
		p.stop()
	}
}
