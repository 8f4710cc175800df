// Package zone serves the DNS names of the cluster. Answers come from an
// immutable snapshot; changes go through one goroutine.
package zone

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"
)

// ErrStopped is returned when the zone is not being served any more.
var ErrStopped = errors.New("zone: stopped")

// snapshot is the content of the zone at one serial. It is never changed.
type snapshot struct {
	serial uint32
	hosts  map[string][]netip.Addr
}

// Change adds or removes an address of a host.
type Change struct {
	Host   string
	Addr   netip.Addr
	Remove bool
}

// order is a change on its way to the editor.
type order struct {
	change Change
	serial chan uint32
}

// Zone is safe for concurrent use.
type Zone struct {
	current atomic.Pointer[snapshot] // stored by the editor only
	orders  chan order
	stopped chan struct{}
}

// New returns an empty zone and starts its editor, which runs until ctx ends.
func New(ctx context.Context) *Zone {
	z := &Zone{orders: make(chan order), stopped: make(chan struct{})}
	z.current.Store(&snapshot{serial: 1, hosts: map[string][]netip.Addr{}})
	go z.edit(ctx)
	return z
}

// edit is the editor.
func (z *Zone) edit(ctx context.Context) {
	defer close(z.stopped)
	for {
		select {
		case o := <-z.orders:
			o.serial <- z.apply(o.change)
		case <-ctx.Done():
			return
		}
	}
}

// apply is called by the editor. It returns the serial with the change in it.
func (z *Zone) apply(c Change) uint32 {
	addrs := z.Lookup(c.Host)
	i := slices.Index(addrs, c.Addr)
	switch {
	case c.Remove && i >= 0:
		addrs = slices.Delete(addrs, i, i+1)
	case !c.Remove && i < 0:
		addrs = append(addrs, c.Addr)
	default:
		return z.Serial()
	}
	return z.replace(c.Host, addrs)
}

// replace is called by the editor.
func (z *Zone) replace(host string, addrs []netip.Addr) uint32 {
	old := z.current.Load()
	next := &snapshot{serial: old.serial + 1, hosts: maps.Clone(old.hosts)}
	if len(addrs) == 0 {
		delete(next.hosts, host)
	} else {
		next.hosts[host] = addrs
	}
	z.current.Store(next)
	return next.serial
}

// Lookup returns a copy of the addresses of host.
func (z *Zone) Lookup(host string) []netip.Addr {
	return slices.Clone(z.current.Load().hosts[host])
}

// Serial returns the serial of the zone.
func (z *Zone) Serial() uint32 { return z.current.Load().serial }

// Transfer returns the whole zone as of one serial.
func (z *Zone) Transfer() (uint32, map[string][]netip.Addr) {
	s := z.current.Load()
	out := make(map[string][]netip.Addr, len(s.hosts))
	for h, addrs := range s.hosts {
		out[h] = slices.Clone(addrs)
	}
	return s.serial, out
}

// Update makes a change and returns a serial that has it.
func (z *Zone) Update(ctx context.Context, c Change) (uint32, error) {
	o := order{change: c, serial: make(chan uint32, 1)}
	select {
	case z.orders <- o:
		return <-o.serial, nil
	case <-z.stopped:
		return 0, ErrStopped
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
