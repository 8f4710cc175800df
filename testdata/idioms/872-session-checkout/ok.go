// Package dbpool is a pool of database sessions with prepared statements.
package dbpool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned by Exec after Close.
var ErrClosed = errors.New("dbpool: closed")

// Wire is the protocol connection of a session. It is used by one goroutine at
// a time.
type Wire interface {
	Prepare(ctx context.Context, query string) (handle int, err error)
	Run(ctx context.Context, handle int, args []any) error
	Deallocate(handle int) error
	Close() error
}

// session is one connection. It is taken from the pool's free channel and only
// its taker works with it; the lock is for the monitor, which reads the
// description of all sessions at any time.
type session struct {
	id   int
	wire Wire

	mu       sync.Mutex
	handles  map[string]int
	lastUsed time.Time
	uses     int
}

func (s *session) handle(query string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.handles[query]
	return h, ok
}

func (s *session) remember(query string, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles[query] = h
}

func (s *session) prepared() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.handles)
}

// forget empties the table of statements and returns their handles.
func (s *session) forget() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.handles
	s.handles = make(map[string]int)
	return old
}

func (s *session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastUsed = time.Now()
	s.uses++
}

func (s *session) info() Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Info{ID: s.id, Prepared: len(s.handles), Uses: s.uses, LastUsed: s.lastUsed}
}

// Info describes a session for the monitor.
type Info struct {
	ID       int
	Prepared int
	Uses     int
	LastUsed time.Time
}

// Pool is a fixed set of sessions. All methods are safe for concurrent use.
type Pool struct {
	sessions      []*session
	free          chan *session // has room for all sessions
	maxStatements int
	done          chan struct{}
	once          sync.Once
}

// New returns a pool with a session for each wire.
func New(wires []Wire, maxStatements int) *Pool {
	p := &Pool{
		free:          make(chan *session, len(wires)),
		maxStatements: maxStatements,
		done:          make(chan struct{}),
	}
	for i, w := range wires {
		s := &session{id: i, wire: w, handles: make(map[string]int)}
		p.sessions = append(p.sessions, s)
		p.free <- s
	}
	return p
}

// Exec runs a query on a free session and prepares it there if necessary.
func (p *Pool) Exec(ctx context.Context, query string, args ...any) error {
	s, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.free <- s }()
	h, ok := s.handle(query)
	if !ok {
		if h, err = p.prepare(ctx, s, query); err != nil {
			return err
		}
	}
	s.touch()
	return s.wire.Run(ctx, h, args)
}

// prepare prepares a query on a session that has been taken. A session with
// too many statements starts over.
func (p *Pool) prepare(ctx context.Context, s *session, query string) (int, error) {
	if s.prepared() >= p.maxStatements {
		for _, h := range s.forget() {
			if err := s.wire.Deallocate(h); err != nil {
				return 0, err
			}
		}
	}
	h, err := s.wire.Prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	s.remember(query, h)
	return h, nil
}

// Monitor describes all sessions, including those in use.
func (p *Pool) Monitor() []Info {
	infos := make([]Info, 0, len(p.sessions))
	for _, s := range p.sessions {
		infos = append(infos, s.info())
	}
	return infos
}

// Close waits for the sessions in use and closes all of them. An Exec that has
// not got a session by then fails.
func (p *Pool) Close() error {
	var err error
	p.once.Do(func() {
		close(p.done)
		for range p.sessions {
			s := <-p.free
			err = errors.Join(err, s.wire.Close())
		}
	})
	return err
}

// take waits for a free session.
func (p *Pool) take(ctx context.Context) (*session, error) {
	select {
	case s := <-p.free:
		return s, nil
	case <-p.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
