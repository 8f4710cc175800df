package sessionlock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errHeld     = errors.New("lock is held by another session")
	errNotOwner = errors.New("not the owner of the lock")
)

type kvEntry struct {
	owner string
	rev   int64
}

// command is one request to the key-value service.
type command struct {
	apply func(kv *kvState) (int64, error)
	reply chan outcome
}

type outcome struct {
	rev int64
	err error
}

type kvState struct {
	rev  int64
	keys map[string]kvEntry
}

// KV applies the requests of all sessions one after the other.
type KV struct {
	reqs chan command
}

// StartKV starts the service.
func StartKV(ctx context.Context) *KV {
	s := &KV{reqs: make(chan command, 64)}
	go func() {
		st := &kvState{keys: make(map[string]kvEntry)}
		for {
			select {
			case c := <-s.reqs:
				rev, err := c.apply(st)
				c.reply <- outcome{rev: rev, err: err}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// do sends a request; when it times out the request may still be applied.
func (s *KV) do(ctx context.Context, d time.Duration, apply func(*kvState) (int64, error)) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c := command{apply: apply, reply: make(chan outcome, 1)}
	select {
	case s.reqs <- c:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case o := <-c.reply:
		return o.rev, o.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (s *KV) create(ctx context.Context, d time.Duration, key, owner string) (int64, error) {
	return s.do(ctx, d, func(st *kvState) (int64, error) {
		if e, ok := st.keys[key]; ok {
			return e.rev, errHeld
		}
		st.rev++
		st.keys[key] = kvEntry{owner: owner, rev: st.rev}
		return st.rev, nil
	})
}

func (s *KV) remove(ctx context.Context, d time.Duration, key string) error {
	_, err := s.do(ctx, d, func(st *kvState) (int64, error) {
		delete(st.keys, key)
		return 0, nil
	})
	return err
}

// Lease is a distributed lock of one session. Goroutines of a session use a
// Lease each.
type Lease struct {
	kv      *KV
	session string
	timeout time.Duration

	mu  sync.Mutex
	key string
	rev int64
}

// NewLease returns a lock that is not held.
func NewLease(kv *KV, session string, timeout time.Duration) *Lease {
	return &Lease{kv: kv, session: session, timeout: timeout}
}

// Lock takes the named lock.
func (l *Lease) Lock(ctx context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	rev, err := l.kv.create(ctx, l.timeout, name, l.session)
	if err != nil {
		return fmt.Errorf("lock %s: %w", name, err)
	}
	l.key, l.rev = name, rev
	return nil
}

// Unlock releases the lock. It may be called again after an error.
func (l *Lease) Unlock(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rev <= 0 {
		return errNotOwner
	}
	if err := l.kv.remove(ctx, l.timeout, l.key); err != nil {
		return err
	}
	l.key, l.rev = "", -1
	return nil
}

// With runs fn while it holds the lock.
func (l *Lease) With(ctx context.Context, name string, fn func()) error {
	if err := l.Lock(ctx, name); err != nil {
		return err
	}
	fn()
	err := l.Unlock(ctx)
	for errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = l.Unlock(ctx)
	}
	return err
}
