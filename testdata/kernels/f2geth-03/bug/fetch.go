// Package bug downloads numbered pieces from peers.
package bug

import (
	"errors"
	"sync"
	"time"
)

var (
	errNoPeers     = errors.New("no peers to keep download active")
	errUnavailable = errors.New("no peers available or all tried for download")
	errCanceled    = errors.New("download canceled")
	errUnknown     = errors.New("delivery was not requested")
)

type peer struct {
	id    string
	fetch func(ids []int) error

	mu   sync.Mutex
	idle bool
}

func (p *peer) setIdle(v bool) {
	p.mu.Lock()
	p.idle = v
	p.mu.Unlock()
}

func (p *peer) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle
}

type peerSet struct {
	mu    sync.RWMutex
	peers map[string]*peer
}

func (s *peerSet) get(id string) *peer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.peers[id]
}

func (s *peerSet) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.peers)
}

func (s *peerSet) idlers() []*peer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*peer
	for _, p := range s.peers {
		if p.isIdle() {
			out = append(out, p)
		}
	}
	return out
}

// backlog knows what is wanted, what is requested and what has arrived.
type backlog struct {
	mu      sync.Mutex
	wanted  []int
	flight  map[string][]int
	arrived []int
	limit   int
}

func (b *backlog) todo() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.wanted)
}

func (b *backlog) inFlight() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.flight)
}

func (b *backlog) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.arrived)
	for _, ids := range b.flight {
		n += len(ids)
	}
	return n >= b.limit
}

func (b *backlog) reserve(p *peer, n int) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.wanted) == 0 || b.flight[p.id] != nil {
		return nil
	}
	n = min(n, len(b.wanted))
	ids := append([]int(nil), b.wanted[:n]...)
	b.wanted = b.wanted[n:]
	b.flight[p.id] = ids
	return ids
}

func (b *backlog) cancel(p *peer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wanted = append(b.wanted, b.flight[p.id]...)
	delete(b.flight, p.id)
}

func (b *backlog) deliver(id string, got []int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flight[id] == nil {
		return errUnknown
	}
	delete(b.flight, id)
	b.arrived = append(b.arrived, got...)
	return nil
}

func (b *backlog) take() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.arrived
	b.arrived = nil
	return out
}

type pack struct {
	peer string
	ids  []int
}

// Loader runs one download.
type Loader struct {
	peers   *peerSet
	queue   *backlog
	packs   chan pack
	cancel  chan struct{}
	consume func([]int)
}

// NewLoader returns a loader of the given pieces.
func NewLoader(ids []int, limit int, consume func([]int)) *Loader {
	return &Loader{
		peers:   &peerSet{peers: make(map[string]*peer)},
		queue:   &backlog{wanted: ids, flight: make(map[string][]int), limit: limit},
		packs:   make(chan pack),
		cancel:  make(chan struct{}),
		consume: consume,
	}
}

// Join adds a peer.
func (l *Loader) Join(id string, fetch func(ids []int) error) {
	l.peers.mu.Lock()
	defer l.peers.mu.Unlock()
	l.peers.peers[id] = &peer{id: id, fetch: fetch, idle: true}
}

// Deliver hands in what a peer has sent.
func (l *Loader) Deliver(id string, ids []int) {
	select {
	case l.packs <- pack{id, ids}:
	case <-l.cancel:
	}
}

func (l *Loader) process() {
	if ids := l.queue.take(); len(ids) > 0 {
		l.consume(ids)
	}
}

// Run requests everything and returns when all has arrived.
func (l *Loader) Run() error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-l.cancel:
			return errCanceled
		case p := <-l.packs:
			if pr := l.peers.get(p.peer); pr != nil {
				if err := l.queue.deliver(p.peer, p.ids); err == nil {
					pr.setIdle(true)
					go l.process()
				}
			}
		case <-ticker.C:
		}

		if l.peers.size() == 0 {
			return errNoPeers
		}
		if l.queue.todo() == 0 {
			if l.queue.inFlight() == 0 {
				return nil
			}
			continue
		}
		for _, p := range l.peers.idlers() {
			if l.queue.full() {
				break
			}
			ids := l.queue.reserve(p, 16)
			if ids == nil {
				continue
			}
			p.setIdle(false)
			if err := p.fetch(ids); err != nil {
				l.queue.cancel(p)
			}
		}
		if !l.queue.full() && l.queue.inFlight() == 0 {
			return errUnavailable
		}
	}
}

// Stop ends a running download. It is called once.
func (l *Loader) Stop() { close(l.cancel) }
