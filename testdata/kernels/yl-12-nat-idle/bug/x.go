// Package bug is the port table of a network address translator.
package bug

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

var ErrNoPorts = errors.New("nat: out of ports")

type Key struct {
	Src, Dst netip.AddrPort
	Proto    uint8
}

type flow struct {
	key     Key
	port    uint16
	packets uint64
	until   time.Time
	timer   *time.Timer
}

// Table maps flows from inside to ports outside. A flow without traffic is
// dropped after the idle time.
type Table struct {
	idle time.Duration

	mu     sync.Mutex
	flows  map[Key]*flow
	byPort map[uint16]*flow
	free   []uint16
}

func NewTable(first, last uint16, idle time.Duration) *Table {
	t := &Table{
		idle:   idle,
		flows:  make(map[Key]*flow),
		byPort: make(map[uint16]*flow),
	}
	for p := int(first); p <= int(last); p++ {
		t.free = append(t.free, uint16(p))
	}
	return t
}

// Outbound returns the outer port for a packet from inside.
func (t *Table) Outbound(k Key) (uint16, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.flows[k]; ok {
		t.refresh(f)
		return f.port, nil
	}
	if len(t.free) == 0 {
		return 0, ErrNoPorts
	}
	f := &flow{key: k, port: t.free[0], packets: 1, until: time.Now().Add(t.idle)}
	t.free = t.free[1:]
	t.flows[k] = f
	t.byPort[f.port] = f
	f.timer = time.AfterFunc(t.idle, func() { t.expire(f) })
	return f.port, nil
}

// Inbound returns the flow a packet from outside belongs to.
func (t *Table) Inbound(port uint16, from netip.AddrPort) (Key, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.byPort[port]
	if !ok || f.key.Dst != from {
		return Key{}, false
	}
	t.refresh(f)
	return f.key, true
}

func (t *Table) refresh(f *flow) {
	f.packets++
	f.until = time.Now().Add(t.idle)
	f.timer.Reset(t.idle)
}

func (t *Table) expire(f *flow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(f)
}

// Finish drops a flow whose end was seen.
func (t *Table) Finish(k Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.flows[k]; ok {
		f.timer.Stop()
		t.remove(f)
	}
}

func (t *Table) remove(f *flow) {
	delete(t.flows, f.key)
	delete(t.byPort, f.port)
	t.free = append(t.free, f.port)
}

// Remaining tells how long a flow will stay without traffic.
func (t *Table) Remaining(k Key) (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.flows[k]
	if !ok {
		return 0, false
	}
	return time.Until(f.until), true
}
