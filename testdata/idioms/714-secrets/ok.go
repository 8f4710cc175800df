// Package secrets rotates database passwords.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNone is returned before the first rotation.
var ErrNone = errors.New("secrets: no secret yet")

// Secret is one password and never changes.
type Secret struct {
	Version  uint64
	User     string
	Password string
	Expires  time.Time
}

// Backend creates and revokes passwords.
type Backend interface {
	Create(ctx context.Context, version uint64) (Secret, error)
	Revoke(ctx context.Context, s Secret) error
}

// Agent keeps the current secret of one database.
type Agent struct {
	backend Backend
	margin  time.Duration

	rotating sync.Mutex
	current  atomic.Uint64

	mu        sync.RWMutex
	table     map[uint64]*Secret
	listeners []func(*Secret)
}

// NewAgent returns an agent which rotates margin before the expiry.
func NewAgent(b Backend, margin time.Duration) *Agent {
	return &Agent{backend: b, margin: margin, table: make(map[uint64]*Secret)}
}

func (a *Agent) find(version uint64) *Secret {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.table[version]
}

// Current returns the secret to connect with.
func (a *Agent) Current() (*Secret, error) {
	for {
		v := a.current.Load()
		if v == 0 {
			return nil, ErrNone
		}
		if s := a.find(v); s != nil {
			return s, nil
		}
	}
}

func (a *Agent) fresh(s *Secret) bool {
	return s != nil && time.Until(s.Expires) > a.margin
}

// Ensure rotates when the current secret is about to expire. Callers who wait for a rotation share it.
func (a *Agent) Ensure(ctx context.Context) (*Secret, error) {
	if s := a.find(a.current.Load()); a.fresh(s) {
		return s, nil
	}
	a.rotating.Lock()
	defer a.rotating.Unlock()
	s := a.find(a.current.Load())
	if a.fresh(s) {
		return s, nil
	}
	return a.rotate(ctx)
}

// rotate is called with a.rotating held.
func (a *Agent) rotate(ctx context.Context) (*Secret, error) {
	version := a.current.Load() + 1
	s, err := a.backend.Create(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("secrets: create version %d: %w", version, err)
	}
	s.Version = version
	a.add(&s)
	a.current.Store(version)
	a.tell(&s)
	return &s, nil
}

func (a *Agent) add(s *Secret) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.table[s.Version] = s
}

func (a *Agent) tell(s *Secret) {
	a.mu.RLock()
	ls := slices.Clone(a.listeners)
	a.mu.RUnlock()
	for _, l := range ls {
		l(s)
	}
}

// OnRotate adds a listener and tells it the current secret if there is one.
func (a *Agent) OnRotate(l func(*Secret)) {
	a.rotating.Lock()
	defer a.rotating.Unlock()
	a.mu.Lock()
	a.listeners = append(a.listeners, l)
	a.mu.Unlock()
	if s, err := a.Current(); err == nil {
		l(s)
	}
}

func (a *Agent) expired(now time.Time) []*Secret {
	cur := a.current.Load()
	a.mu.RLock()
	defer a.mu.RUnlock()
	var out []*Secret
	for v, s := range a.table {
		if v < cur && now.After(s.Expires) {
			out = append(out, s)
		}
	}
	return out
}

// sweep revokes secrets which have expired; it is called by Run only.
func (a *Agent) sweep(ctx context.Context) error {
	var errs []error
	for _, s := range a.expired(time.Now()) {
		if err := a.backend.Revoke(ctx, *s); err != nil {
			errs = append(errs, err)
			continue
		}
		a.mu.Lock()
		delete(a.table, s.Version)
		a.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Run keeps the secret fresh until ctx is done. An agent is run once.
func (a *Agent) Run(ctx context.Context, every time.Duration, report func(error)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if _, err := a.Ensure(ctx); err != nil {
			report(err)
		}
		if err := a.sweep(ctx); err != nil {
			report(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
