// Package device rotates the transport keys of encrypted tunnels.
package device

import (
	"sync"
	"sync/atomic"
	"time"
)

// Keypair is the outcome of one handshake.
type Keypair struct {
	Local     uint32
	Remote    uint32
	Created   time.Time
	Initiator bool
}

// Table maps receiver indexes to key pairs.
type Table struct {
	mu      sync.RWMutex
	entries map[uint32]*Keypair
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{entries: make(map[uint32]*Keypair)}
}

// Lookup finds the key pair for a received packet.
func (t *Table) Lookup(index uint32) *Keypair {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.entries[index]
}

func (t *Table) insert(kp *Keypair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries[kp.Local] = kp
}

func (t *Table) remove(kp *Keypair) {
	if kp == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[kp.Local] == kp {
		delete(t.entries, kp.Local)
	}
}

type keypairs struct {
	mu       sync.RWMutex
	previous *Keypair
	current  *Keypair
	next     atomic.Pointer[Keypair] // stored with mu held
}

// Peer is the far end of a tunnel.
type Peer struct {
	table *Table
	keys  keypairs
	flush func()
}

// NewPeer returns a peer. Flush is called when staged packets can be sent.
func NewPeer(t *Table, flush func()) *Peer {
	return &Peer{table: t, flush: flush}
}

// Derived installs a key pair after a handshake. A responder may send with it
// only after the first packet that proves that the initiator has it too.
func (p *Peer) Derived(kp *Keypair) {
	p.table.insert(kp)
	k := &p.keys
	k.mu.Lock()
	defer k.mu.Unlock()
	if !kp.Initiator {
		p.table.remove(k.previous)
		p.table.remove(k.next.Load())
		k.previous = nil
		k.next.Store(kp)
		return
	}
	p.table.remove(k.previous)
	if next := k.next.Load(); next != nil {
		k.next.Store(nil)
		p.table.remove(k.current)
		k.previous = next
	} else {
		k.previous = k.current
	}
	k.current = kp
}

// Current returns the key pair to send with.
func (p *Peer) Current() *Keypair {
	p.keys.mu.RLock()
	defer p.keys.mu.RUnlock()
	return p.keys.current
}

// Received is called for every authenticated packet, by any worker.
func (p *Peer) Received(kp *Keypair) {
	if p.receivedWith(kp) {
		p.flush()
	}
}

func (p *Peer) receivedWith(kp *Keypair) bool {
	k := &p.keys
	if k.next.Load() != kp {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next.Load() != kp {
		return false
	}
	old := k.previous
	k.previous = k.current
	p.table.remove(old)
	k.current = kp
	k.next.Store(nil)
	return true
}
