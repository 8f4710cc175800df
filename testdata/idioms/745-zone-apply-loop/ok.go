// Package zone serves DNS records that several feeds update.
package zone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
)

// Change sets the addresses of a name; none removes the name.
type Change struct {
	Feed  string
	Name  string
	Addrs []netip.Addr
}

// ErrNotFound is NXDOMAIN.
var ErrNotFound = errors.New("zone: no such name")

// snapshot is immutable.
type snapshot struct {
	serial  uint32
	records map[string][]netip.Addr
}

// Zone answers queries from the current snapshot.
type Zone struct {
	origin  string
	current atomic.Pointer[snapshot]
	changes chan Change
	log     *slog.Logger
}

// Open returns a zone whose changes are applied until ctx is done.
func Open(ctx context.Context, origin string, log *slog.Logger) *Zone {
	z := &Zone{origin: origin, changes: make(chan Change, 64), log: log}
	z.current.Store(&snapshot{serial: 1})
	go z.maintain(ctx)
	return z
}

// Submit queues a change of a feed.
func (z *Zone) Submit(ctx context.Context, c Change) error {
	c.Name = strings.ToLower(c.Name)
	if !strings.HasSuffix(c.Name, "."+z.origin) {
		return fmt.Errorf("zone: %s is not in %s", c.Name, z.origin)
	}
	c.Addrs = slices.Clone(c.Addrs)
	select {
	case z.changes <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Lookup returns the addresses of a name.
func (z *Zone) Lookup(name string) ([]netip.Addr, uint32, error) {
	s := z.current.Load()
	addrs, ok := s.records[strings.ToLower(name)]
	if !ok {
		return nil, s.serial, ErrNotFound
	}
	return addrs, s.serial, nil
}

func (z *Zone) maintain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-z.changes:
			batch := []Change{c}
			for len(batch) < cap(z.changes) && len(z.changes) > 0 {
				batch = append(batch, <-z.changes)
			}
			z.apply(batch)
		}
	}
}

// apply makes a snapshot with the changes the current one.
func (z *Zone) apply(batch []Change) {
	old := z.current.Load()
	records := make(map[string][]netip.Addr, len(old.records)+len(batch))
	maps.Copy(records, old.records)
	for _, c := range batch {
		if len(c.Addrs) == 0 {
			delete(records, c.Name)
			continue
		}
		records[c.Name] = c.Addrs
	}
	z.current.Store(&snapshot{serial: old.serial + 1, records: records})
	z.log.Info("zone updated", "origin", z.origin, "serial", old.serial+1, "changes", len(batch))
}

// Watch forwards the changes of a feed until it ends.
func (z *Zone) Watch(ctx context.Context, feed <-chan Change) error {
	for c := range feed {
		if err := z.Submit(ctx, c); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			z.log.Warn("change refused", "feed", c.Feed, "err", err)
		}
	}
	return nil
}
