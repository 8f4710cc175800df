// Package fleet places game sessions on the hosts of a region.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Errors of placement.
var (
	ErrNoCapacity = errors.New("fleet: no capacity")
	ErrNoHost     = errors.New("fleet: no such host")
)

// Session is a running match.
type Session struct {
	ID      string
	Players int
}

// Provider owns the machines.
type Provider interface {
	Terminate(ctx context.Context, host string) error
}

// Migrator moves a match to a host of another region.
type Migrator interface {
	Migrate(ctx context.Context, from string, s Session) error
}

type host struct {
	name  string
	slots int

	mu       sync.Mutex
	cordoned bool
	sessions map[string]Session
}

// place takes a session unless the host is full or to be removed.
func (h *host) place(s Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cordoned || len(h.sessions) >= h.slots {
		return false
	}
	h.sessions[s.ID] = s
	return true
}

func (h *host) remove(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, id)
}

func (h *host) list() []Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Session, 0, len(h.sessions))
	for _, s := range h.sessions {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Session) int { return b.Players - a.Players })
	return out
}

func (h *host) cordon(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cordoned = on
}

// Fleet is the set of hosts.
type Fleet struct {
	provider Provider
	migrator Migrator
	grace    time.Duration
	log      *slog.Logger

	retiring sync.Mutex // one host at a time, to keep capacity

	mu    sync.RWMutex
	hosts []*host
}

// New returns an empty fleet.
func New(p Provider, m Migrator, grace time.Duration, log *slog.Logger) *Fleet {
	return &Fleet{provider: p, migrator: m, grace: grace, log: log}
}

// Join adds a machine that has booted.
func (f *Fleet) Join(name string, slots int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosts = append(f.hosts, &host{name: name, slots: slots, sessions: make(map[string]Session)})
}

func (f *Fleet) find(name string) *host {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, h := range f.hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}

// Allocate finds a host for a match; the matchmakers call it.
func (f *Fleet) Allocate(s Session) (string, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, h := range f.hosts {
		if h.place(s) {
			return h.name, nil
		}
	}
	return "", ErrNoCapacity
}

// Finished is called when a match is over.
func (f *Fleet) Finished(hostName, id string) {
	if h := f.find(hostName); h != nil {
		h.remove(id)
	}
}

// Retire empties a host and gives the machine back.
func (f *Fleet) Retire(ctx context.Context, name string) error {
	f.retiring.Lock()
	defer f.retiring.Unlock()
	h := f.find(name)
	if h == nil {
		return fmt.Errorf("%w: %s", ErrNoHost, name)
	}
	if err := f.evacuate(ctx, h); err != nil {
		return err
	}
	if err := f.provider.Terminate(ctx, name); err != nil {
		h.cordon(false)
		return fmt.Errorf("terminate %s: %w", name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosts = slices.DeleteFunc(f.hosts, func(o *host) bool { return o == h })
	return nil
}

// evacuate moves the matches of a host elsewhere.
func (f *Fleet) evacuate(ctx context.Context, h *host) error {
	ctx, cancel := context.WithTimeout(ctx, f.grace)
	defer cancel()
	h.cordon(true)
	matches := h.list()
	for _, s := range matches {
		if err := f.migrator.Migrate(ctx, h.name, s); err != nil {
			h.cordon(false)
			return fmt.Errorf("migrate %s: %w", s.ID, err)
		}
		h.remove(s.ID)
	}
	f.log.Info("host is empty", "host", h.name, "moved", len(matches))
	return nil
}
