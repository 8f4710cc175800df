// Package routes is the route table of a userspace VPN.
package routes

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"
)

var (
	// ErrConflict is returned when another peer owns the prefix.
	ErrConflict = errors.New("routes: prefix belongs to another peer")
	// ErrUnknown is returned for prefixes without a route.
	ErrUnknown = errors.New("routes: no such route")
)

// table is immutable once published.
type table struct {
	version uint64
	peers   map[netip.Prefix]string
	lengths []int // prefix lengths in use, longest first
}

// Routes maps prefixes to peers. Lookups never block.
type Routes struct {
	cur atomic.Pointer[table]
}

// New returns an empty table.
func New() *Routes {
	r := &Routes{}
	r.cur.Store(&table{peers: map[netip.Prefix]string{}})
	return r
}

func build(version uint64, peers map[netip.Prefix]string) *table {
	t := &table{version: version, peers: peers}
	for p := range peers {
		if !slices.Contains(t.lengths, p.Bits()) {
			t.lengths = append(t.lengths, p.Bits())
		}
	}
	slices.SortFunc(t.lengths, func(a, b int) int { return b - a })
	return t
}

func (r *Routes) update(fn func(peers map[netip.Prefix]string) error) error {
	for {
		old := r.cur.Load()
		peers := maps.Clone(old.peers)
		if err := fn(peers); err != nil {
			return err
		}
		if r.cur.CompareAndSwap(old, build(old.version+1, peers)) {
			return nil
		}
	}
}

// Add routes prefix to peer.
func (r *Routes) Add(prefix netip.Prefix, peer string) error {
	prefix = prefix.Masked()
	return r.update(func(peers map[netip.Prefix]string) error {
		if owner, ok := peers[prefix]; ok && owner != peer {
			return ErrConflict
		}
		peers[prefix] = peer
		return nil
	})
}

// Remove drops the route for prefix.
func (r *Routes) Remove(prefix netip.Prefix) error {
	prefix = prefix.Masked()
	return r.update(func(peers map[netip.Prefix]string) error {
		if _, ok := peers[prefix]; !ok {
			return ErrUnknown
		}
		delete(peers, prefix)
		return nil
	})
}

// RemovePeer drops every route to peer.
func (r *Routes) RemovePeer(peer string) {
	_ = r.update(func(peers map[netip.Prefix]string) error {
		maps.DeleteFunc(peers, func(_ netip.Prefix, p string) bool { return p == peer })
		return nil
	})
}

// Lookup returns the peer for addr by longest prefix, and the version of
// the table that says so.
func (r *Routes) Lookup(addr netip.Addr) (peer string, version uint64, ok bool) {
	t := r.cur.Load()
	for _, bits := range t.lengths {
		p, err := addr.Prefix(bits)
		if err != nil {
			continue
		}
		if peer, ok := t.peers[p]; ok {
			return peer, t.version, true
		}
	}
	return "", t.version, false
}
