// Package peers keeps one session to each node of a cluster. Sessions are
// opened on demand; opening one takes several round trips.
package peers

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("peers: closed")

// Session is an authenticated session with a node. Requests on a closed
// session fail, and the caller asks for a new one.
type Session interface {
	Send(ctx context.Context, msg []byte) error
	Close() error
}

// Opener opens sessions.
type Opener func(ctx context.Context, node string) (Session, error)

// Sessions is the set of open sessions. It is safe for concurrent use.
type Sessions struct {
	open Opener

	mu     sync.Mutex
	byNode map[string]Session
	closed bool
}

// New returns an empty set.
func New(open Opener) *Sessions {
	return &Sessions{open: open, byNode: make(map[string]Session)}
}

// cached returns the session with a node, or nil.
func (s *Sessions) cached(node string) (Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	return s.byNode[node], nil
}

// adopt makes a new session the one of its node. It returns the session that
// is to be used.
func (s *Sessions) adopt(node string, fresh Session) (Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if have := s.byNode[node]; have != nil {
		return have, nil
	}
	s.byNode[node] = fresh
	return fresh, nil
}

// Session returns the session with a node and opens it if there is none.
func (s *Sessions) Session(ctx context.Context, node string) (Session, error) {
	sess, err := s.cached(node)
	if sess != nil || err != nil {
		return sess, err
	}
	fresh, err := s.open(ctx, node)
	if err != nil {
		return nil, err
	}
	sess, err = s.adopt(node, fresh)
	if sess != fresh {
		fresh.Close()
	}
	return sess, err
}

// Drop closes a session that does not work any more.
func (s *Sessions) Drop(node string, sess Session) {
	s.mu.Lock()
	mine := s.byNode[node] == sess
	if mine {
		delete(s.byNode, node)
	}
	s.mu.Unlock()
	if mine {
		sess.Close()
	}
}

// Send sends a message to a node. A session that fails is dropped, and the
// message is sent once more on a new one; nodes ignore duplicates.
func (s *Sessions) Send(ctx context.Context, node string, msg []byte) error {
	var err error
	for range 2 {
		var sess Session
		if sess, err = s.Session(ctx, node); err != nil {
			return err
		}
		if err = sess.Send(ctx, msg); err == nil {
			return nil
		}
		s.Drop(node, sess)
	}
	return err
}

// Broadcast sends a message to all given nodes at the same time and returns
// the errors.
func (s *Sessions) Broadcast(ctx context.Context, nodes []string, msg []byte) error {
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = s.Send(ctx, node, msg)
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Close closes all sessions.
func (s *Sessions) Close() error {
	s.mu.Lock()
	all := s.byNode
	s.byNode = nil
	s.closed = true
	s.mu.Unlock()
	var errs []error
	for _, sess := range all {
		errs = append(errs, sess.Close())
	}
	return errors.Join(errs...)
}
