// Package fix serves watches over a versioned store.
package fix

import (
	"errors"
	"sync"
)

var errClosed = errors.New("session is closed")

// Event is one change.
type Event struct {
	Rev   int64
	Key   string
	Value string
}

// Notice carries events of one watch, or tells that it was made.
type Notice struct {
	Watch   int64
	Rev     int64
	Created bool
	Events  []Event
}

type follower struct {
	key  string
	from int64
	id   int64
	out  chan<- Notice
}

// Store keeps all changes.
type Store struct {
	mu       sync.Mutex
	rev      int64
	log      []Event
	synced   map[*follower]struct{}
	unsynced map[*follower]struct{}
}

// NewStore returns an empty store at revision one.
func NewStore() *Store {
	return &Store{
		rev:      1,
		synced:   make(map[*follower]struct{}),
		unsynced: make(map[*follower]struct{}),
	}
}

// Put stores a value and tells the followers that are up to date.
func (s *Store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	ev := Event{s.rev, key, value}
	s.log = append(s.log, ev)
	for f := range s.synced {
		if f.key != key || ev.Rev < f.from {
			continue
		}
		select {
		case f.out <- Notice{Watch: f.id, Rev: s.rev, Events: []Event{ev}}:
			f.from = ev.Rev + 1
		default:
			delete(s.synced, f)
			f.from = ev.Rev
			s.unsynced[f] = struct{}{}
		}
	}
	return s.rev
}

// Sync brings the followers that are behind up to date.
func (s *Store) Sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.unsynced {
		var evs []Event
		for _, ev := range s.log {
			if ev.Key == f.key && ev.Rev >= f.from {
				evs = append(evs, ev)
			}
		}
		if len(evs) > 0 {
			select {
			case f.out <- Notice{Watch: f.id, Rev: s.rev, Events: evs}:
			default:
				continue
			}
		}
		f.from = s.rev + 1
		delete(s.unsynced, f)
		s.synced[f] = struct{}{}
	}
}

func (s *Store) current() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev
}

func (s *Store) follow(key string, start, id int64, out chan<- Notice) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &follower{key: key, from: start, id: id, out: out}
	if start == 0 || start > s.rev {
		if start == 0 {
			f.from = s.rev + 1
		}
		s.synced[f] = struct{}{}
	} else {
		s.unsynced[f] = struct{}{}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.synced, f)
		delete(s.unsynced, f)
	}
}

// Session has the watches of one client.
type Session struct {
	store *Store
	out   chan Notice
	ctrl  chan Notice
	done  chan struct{}

	mu      sync.Mutex
	closed  bool
	nextID  int64
	cancels map[int64]func()
}

// NewSession returns a session without watches.
func NewSession(s *Store) *Session {
	return &Session{
		store:   s,
		out:     make(chan Notice, 64),
		ctrl:    make(chan Notice, 8),
		done:    make(chan struct{}),
		cancels: make(map[int64]func()),
	}
}

func (s *Session) watch(key string, start int64) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return -1, errClosed
	}
	id := s.nextID
	s.nextID++
	s.cancels[id] = s.store.follow(key, start, id, s.out)
	return id, nil
}

// Request is a message of the client.
type Request struct {
	Key    string
	Start  int64
	Cancel bool
	ID     int64
}

// Serve handles the requests of the client. A client drops events up to
// the revision in the created notice unless it has asked for a start.
func (s *Session) Serve(reqs <-chan Request) error {
	for {
		select {
		case r, ok := <-reqs:
			if !ok {
				return nil
			}
			if r.Cancel {
				s.cancel(r.ID)
				continue
			}
			cur, start := s.store.current(), r.Start
			if start == 0 {
				start = cur + 1
			}
			id, err := s.watch(r.Key, start)
			if err != nil {
				return err
			}
			n := Notice{Watch: id, Rev: cur, Created: true}
			select {
			case s.ctrl <- n:
			case <-s.done:
				return errClosed
			}
		case <-s.done:
			return errClosed
		}
	}
}

func (s *Session) cancel(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cancels[id]; c != nil {
		c()
		delete(s.cancels, id)
	}
}

// Notices returns the channels of the session.
func (s *Session) Notices() (ctrl, events <-chan Notice) { return s.ctrl, s.out }

// Close ends all watches.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for _, c := range s.cancels {
		c()
	}
	s.cancels = nil
	close(s.done)
}
