package a

import (
	"sync"
	"sync/atomic"
)

type table[K comparable, V any] struct {
	m sync.Map
}

func (t *table[K, V]) get(k K) (v V, ok bool) {
	x, ok := t.m.Load(k)
	if ok {
		v = x.(V)
	}
	return v, ok
}

func (t *table[K, V]) add(k K, v V) (V, bool) {
	x, loaded := t.m.LoadOrStore(k, v)
	return x.(V), !loaded
}

func (t *table[K, V]) size() (n int) {
	t.m.Range(func(any, any) bool {
		n++
		return true
	})
	return n
}

type mast struct {
	site    string
	packets atomic.Int64
	best    atomic.Int64
}

func (m *mast) heard(signal int64) {
	m.packets.Add(1)
	for {
		b := m.best.Load()
		if signal <= b || m.best.CompareAndSwap(b, signal) {
			return
		}
	}
}

// Network knows the masts of an amateur radio network.
type Network struct {
	masts   table[string, *mast]
	created atomic.Int64
}

func (n *Network) mast(site string) *mast {
	if m, ok := n.masts.get(site); ok {
		return m
	}
	m, fresh := n.masts.add(site, &mast{site: site})
	if fresh {
		n.created.Add(1)
	}
	return m
}

// Heard notes a packet that came by way of the mast.
func (n *Network) Heard(site string, signal int64) {
	n.mast(site).heard(signal)
}

// Packets tells how many packets came by way of the mast.
func (n *Network) Packets(site string) int64 {
	m, ok := n.masts.get(site)
	if !ok {
		return 0
	}
	return m.packets.Load()
}

// Sites counts the masts.
func (n *Network) Sites() int { return n.masts.size() }
