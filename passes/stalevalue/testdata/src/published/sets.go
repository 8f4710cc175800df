package published

import "sync"

// A peer is in the rooms that it has joined, until it is closed.
type peer struct {
	mu     sync.Mutex
	closed bool
}

func (p *peer) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed
}

func (p *peer) shut() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}

// Rooms have sets of peers.
type Rooms struct {
	mu    sync.Mutex
	peers map[string]map[*peer]struct{}
}

func NewRooms() *Rooms { return &Rooms{peers: make(map[string]map[*peer]struct{})} }

// Join may put a peer in that has left all rooms for good.
func (r *Rooms) Join(p *peer, room string) bool {
	if !p.alive() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	set := r.peers[room]
	if set == nil {
		set = make(map[*peer]struct{})
		r.peers[room] = set
	}
	set[p] = struct{}{} // want `check-then-act: peer\.closed was checked at line \d+|check-then-act: p\.closed was checked at line \d+`
	return true
}

// JoinAlive asks in the section that puts it in.
func (r *Rooms) JoinAlive(p *peer, room string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.alive() || r.peers[room] == nil {
		return false
	}
	r.peers[room][p] = struct{}{}
	return true
}

// Leave closes a peer, and takes it out everywhere.
func (r *Rooms) Leave(p *peer) {
	p.shut()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, set := range r.peers {
		delete(set, p)
	}
}
