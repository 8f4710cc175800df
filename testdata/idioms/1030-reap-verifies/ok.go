// Package keepalive keeps idle connections to backends.
package keepalive

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

type entry struct {
	id    int64
	host  string
	addr  string // resolved address the connection goes to
	conn  net.Conn
	inUse bool
	uses  int
}

// Resolver returns the present addresses of a host.
type Resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// Keeper lends out connections by host.
type Keeper struct {
	resolver Resolver

	mu      sync.Mutex
	lastID  int64
	entries map[int64]*entry
}

func New(r Resolver) *Keeper {
	return &Keeper{resolver: r, entries: make(map[int64]*entry)}
}

// Add takes a fresh connection into the keeper, lent to the caller.
func (k *Keeper) Add(host, addr string, c net.Conn) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lastID++
	k.entries[k.lastID] = &entry{id: k.lastID, host: host, addr: addr, conn: c, inUse: true, uses: 1}
	return k.lastID
}

// Take lends an idle connection to host, if there is one.
func (k *Keeper) Take(host string) (int64, net.Conn, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, e := range k.entries {
		if e.host == host && !e.inUse {
			e.inUse = true
			e.uses++
			return id, e.conn, true
		}
	}
	return 0, nil, false
}

// Return ends a loan.
func (k *Keeper) Return(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[id]; e != nil {
		e.inUse = false
	}
}

type candidate struct {
	id         int64
	host, addr string
	uses       int
}

func (k *Keeper) candidates() []candidate {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []candidate
	for _, e := range k.entries {
		if !e.inUse {
			out = append(out, candidate{e.id, e.host, e.addr, e.uses})
		}
	}
	return out
}

// Reap closes idle connections to addresses that the name of their host does
// not resolve to any more.
func (k *Keeper) Reap(ctx context.Context) int {
	closed := 0
	for _, c := range k.candidates() {
		lctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		addrs, err := k.resolver.LookupHost(lctx, c.host)
		cancel()
		if err != nil || slices.Contains(addrs, c.addr) {
			continue
		}
		if k.drop(c) {
			closed++
		}
	}
	return closed
}

func (k *Keeper) drop(c candidate) bool {
	k.mu.Lock()
	e := k.entries[c.id]
	if e == nil || e.inUse || e.uses != c.uses {
		k.mu.Unlock()
		return false
	}
	delete(k.entries, c.id)
	k.mu.Unlock()
	e.conn.Close()
	return true
}
