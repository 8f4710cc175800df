// Package xds receives listener configuration from the control plane.
package xds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"
)

var (
	// ErrNotYet is returned while the wanted version has not arrived.
	ErrNotYet = errors.New("xds: version not applied yet")
	errEmpty  = errors.New("xds: listener without address")
)

// Push is one update as it comes from the wire. Versions only grow.
type Push struct {
	Version   uint64
	Listeners map[string]string // name -> address
}

// Table is a compiled push; it is never modified.
type Table struct {
	byName map[string]netip.AddrPort
}

// Lookup returns the address of a listener.
func (t *Table) Lookup(name string) (netip.AddrPort, bool) {
	a, ok := t.byName[name]
	return a, ok
}

func compile(p *Push) (*Table, error) {
	t := &Table{byName: make(map[string]netip.AddrPort, len(p.Listeners))}
	for name, addr := range p.Listeners {
		if addr == "" {
			return nil, fmt.Errorf("%w: %s", errEmpty, name)
		}
		ap, err := netip.ParseAddrPort(addr)
		if err != nil {
			return nil, fmt.Errorf("xds: listener %s: %w", name, err)
		}
		t.byName[name] = ap
	}
	return t, nil
}

// Source is the connection to the control plane.
type Source interface {
	Recv(ctx context.Context) (*Push, error)
	Ack(version uint64) error
	Nack(version uint64, reason string) error
}

// Stream follows a source and keeps the latest table.
type Stream struct {
	src     Source
	backoff time.Duration

	applied  atomic.Uint64
	rejected atomic.Uint64
	table    atomic.Pointer[Table]
}

// NewStream returns a stream that has applied nothing.
func NewStream(src Source) *Stream {
	s := &Stream{src: src, backoff: time.Second}
	s.table.Store(&Table{})
	return s
}

// Run applies pushes until ctx ends. It is called once.
func (s *Stream) Run(ctx context.Context) error {
	for {
		p, err := s.src.Recv(ctx)
		if err == nil {
			err = s.apply(p)
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.backoff):
		}
	}
}

func (s *Stream) apply(p *Push) error {
	if p.Version <= s.applied.Load() {
		return nil
	}
	t, err := compile(p)
	if err != nil {
		s.rejected.Add(1)
		return s.src.Nack(p.Version, err.Error())
	}
	s.table.Store(t)
	s.applied.Store(p.Version)
	if err := s.src.Ack(p.Version); err != nil {
		slog.Warn("xds: push not acknowledged", "version", p.Version, "err", err)
	}
	return nil
}

// At returns a table that is at least as new as version.
func (s *Stream) At(version uint64) (*Table, error) {
	if have := s.applied.Load(); have < version {
		return nil, fmt.Errorf("%w: want %d, have %d", ErrNotYet, version, have)
	}
	return s.table.Load(), nil
}

// WaitFor polls until version has been applied.
func (s *Stream) WaitFor(ctx context.Context, version uint64) (*Table, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		t, err := s.At(version)
		if !errors.Is(err, ErrNotYet) {
			return t, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}
