package a

import (
	"context"
	"net/netip"
	"slices"
	"sync"
)

type Provider interface {
	Push(ctx context.Context, zone string, serial uint32, records map[string][]netip.Addr) error
}

type Zone struct {
	name     string
	provider Provider
	syncing  sync.Mutex // one push at a time

	mu      sync.RWMutex
	records map[string][]netip.Addr
	serial  uint32
	pushed  uint32
}

func NewZone(name string, p Provider) *Zone {
	return &Zone{name: name, provider: p, records: make(map[string][]netip.Addr)}
}

func (z *Zone) view(fn func(records map[string][]netip.Addr)) {
	z.mu.RLock()
	defer z.mu.RUnlock()
	fn(z.records)
}

func (z *Zone) update(fn func(records map[string][]netip.Addr) bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if fn(z.records) {
		z.serial++
	}
}

// Register adds the address of an instance which came up.
func (z *Zone) Register(host string, addr netip.Addr) {
	z.update(func(records map[string][]netip.Addr) bool {
		addrs := slices.Clone(records[host])
		if slices.Contains(addrs, addr) {
			return false
		}
		addrs = append(addrs, addr)
		slices.SortFunc(addrs, netip.Addr.Compare)
		records[host] = addrs
		return true
	})
}

func (z *Zone) Deregister(host string, addr netip.Addr) {
	z.update(func(records map[string][]netip.Addr) bool {
		i := slices.Index(records[host], addr)
		if i < 0 {
			return false
		}
		rest := slices.Delete(slices.Clone(records[host]), i, i+1)
		if len(rest) == 0 {
			delete(records, host)
		} else {
			records[host] = rest
		}
		return true
	})
}

func (z *Zone) Lookup(host string) (addrs []netip.Addr) {
	z.view(func(records map[string][]netip.Addr) {
		addrs = slices.Clone(records[host])
	})
	return addrs
}

// Sync pushes the zone to the provider if it has changed since the last push.
func (z *Zone) Sync(ctx context.Context) error {
	z.syncing.Lock()
	defer z.syncing.Unlock()
	z.mu.RLock()
	serial, dirty := z.serial, z.serial != z.pushed
	out := make(map[string][]netip.Addr, len(z.records))
	for h, a := range z.records {
		out[h] = slices.Clone(a)
	}
	z.mu.RUnlock()
	if !dirty {
		return nil
	}
	if err := z.provider.Push(ctx, z.name, serial, out); err != nil {
		return err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	z.pushed = serial
	return nil
}
