// Package hosttable keeps the host records an internal resolver answers from.
package hosttable

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Record is what is known about a host.
type Record struct {
	Addrs   []netip.Addr
	Source  string
	Expires time.Time // zero for a record that stays
}

func (r Record) expired(now time.Time) bool {
	return !r.Expires.IsZero() && !now.Before(r.Expires)
}

// records is one state of the table. It is not modified once it is current.
type records map[string]Record

// Table maps host names to records. Queries read the current state without a
// lock; a change replaces it. A Table is safe for concurrent use.
type Table struct {
	now     func() time.Time
	current atomic.Pointer[records]
	changes atomic.Int64

	mu sync.Mutex // held by those who replace the state
}

// New returns an empty table.
func New() *Table {
	t := &Table{now: time.Now}
	t.current.Store(&records{})
	return t
}

// Lookup returns the addresses of host.
func (t *Table) Lookup(host string) ([]netip.Addr, bool) {
	r, ok := (*t.current.Load())[host]
	if !ok || r.expired(t.now()) {
		return nil, false
	}
	return r.Addrs, true
}

// Announce stores the record of a host that reported to this resolver. It is
// called by the announcement listener for every datagram.
func (t *Table) Announce(host string, r Record) {
	r.Addrs = slices.Clone(r.Addrs)
	t.mu.Lock()
	defer t.mu.Unlock()
	next := maps.Clone(*t.current.Load())
	next[host] = r
	t.publish(next)
}

// Withdraw removes the record of host if it came from source.
func (t *Table) Withdraw(host, source string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	cur := *t.current.Load()
	if r, ok := cur[host]; !ok || r.Source != source {
		return false
	}
	next := maps.Clone(cur)
	delete(next, host)
	t.publish(next)
	return true
}

// ReplaceSource makes recs the records of source and drops its others. Names
// that another source owns are left alone.
func (t *Table) ReplaceSource(source string, recs map[string]Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := make(records, len(recs))
	for host, r := range *t.current.Load() {
		if r.Source != source {
			next[host] = r
		}
	}
	for host, r := range recs {
		if _, taken := next[host]; taken {
			continue
		}
		r.Source = source
		r.Addrs = slices.Clone(r.Addrs)
		next[host] = r
	}
	t.publish(next)
}

// publish makes next the current state.
func (t *Table) publish(next records) {
	t.current.Store(&next)
	t.changes.Add(1)
}

// expire drops the records that are out of date and returns their number.
func (t *Table) expire() int {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	cur := *t.current.Load()
	next := make(records, len(cur))
	for host, r := range cur {
		if !r.expired(now) {
			next[host] = r
		}
	}
	dropped := len(cur) - len(next)
	if dropped > 0 {
		t.publish(next)
	}
	return dropped
}

// Changes returns how often the table was replaced.
func (t *Table) Changes() int64 { return t.changes.Load() }

// Hosts returns the names in the table, in order.
func (t *Table) Hosts() []string {
	return slices.Sorted(maps.Keys(*t.current.Load()))
}

// Janitor drops old records until ctx ends.
func (t *Table) Janitor(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.expire()
		}
	}
}
