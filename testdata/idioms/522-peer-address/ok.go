// Package ok keeps one sender per peer, whose address may change.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// Server is a peer.
type Server struct {
	ID   string
	Addr string
}

// Sender transports heartbeats.
type Sender interface {
	Send(s Server, index uint64) error
}

type sender struct {
	peerMu sync.RWMutex
	peer   Server

	next    atomic.Uint64
	contact atomic.Int64
	notify  chan struct{}
	stop    chan struct{}
}

func (s *sender) current() Server {
	s.peerMu.RLock()
	defer s.peerMu.RUnlock()
	return s.peer
}

// Leader runs in one goroutine, which alone changes the senders.
type Leader struct {
	tr      Sender
	config  chan []Server
	appends chan uint64
	quit    chan struct{}
	once    sync.Once
	wg      sync.WaitGroup
	fails   atomic.Uint64

	senders map[string]*sender
}

// NewLeader returns a running leader.
func NewLeader(tr Sender) *Leader {
	l := &Leader{
		tr:      tr,
		config:  make(chan []Server),
		appends: make(chan uint64),
		quit:    make(chan struct{}),
		senders: make(map[string]*sender),
	}
	l.wg.Add(1)
	go l.loop()
	return l
}

// Configure replaces the list of peers.
func (l *Leader) Configure(list []Server) {
	select {
	case l.config <- append([]Server(nil), list...):
	case <-l.quit:
	}
}

// Append tells the senders of a new entry.
func (l *Leader) Append(index uint64) {
	select {
	case l.appends <- index:
	case <-l.quit:
	}
}

// Close ends the leader and its senders.
func (l *Leader) Close() {
	l.once.Do(func() { close(l.quit) })
	l.wg.Wait()
}

func (l *Leader) loop() {
	defer l.wg.Done()
	defer func() {
		for _, s := range l.senders {
			close(s.stop)
		}
	}()
	for {
		select {
		case list := <-l.config:
			l.startStop(list)
		case index := <-l.appends:
			for _, s := range l.senders {
				s.next.Store(index)
				select {
				case s.notify <- struct{}{}:
				default:
				}
			}
		case <-l.quit:
			return
		}
	}
}

func (l *Leader) startStop(list []Server) {
	in := make(map[string]bool, len(list))
	for _, srv := range list {
		in[srv.ID] = true
		s, ok := l.senders[srv.ID]
		if !ok {
			s = &sender{peer: srv, notify: make(chan struct{}, 1), stop: make(chan struct{})}
			l.senders[srv.ID] = s
			l.wg.Add(1)
			go l.replicate(s)
			continue
		}
		s.peerMu.RLock()
		peer := s.peer
		s.peerMu.RUnlock()
		if peer.Addr != srv.Addr {
			s.peerMu.Lock()
			s.peer = srv
			s.peerMu.Unlock()
		}
	}
	for id, s := range l.senders {
		if in[id] {
			continue
		}
		close(s.stop)
		delete(l.senders, id)
	}
}

func (l *Leader) replicate(s *sender) {
	defer l.wg.Done()
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.notify:
		case <-t.C:
		}
		if err := l.tr.Send(s.current(), s.next.Load()); err != nil {
			l.fails.Add(1)
			continue
		}
		s.contact.Store(time.Now().UnixNano())
	}
}

// Failures returns the number of failed sends.
func (l *Leader) Failures() uint64 { return l.fails.Load() }
