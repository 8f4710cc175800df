// Package atomics makes one operation of two on a number, where the code after it sees the same.
package atomics

import "sync/atomic"

type Meter struct {
	n     atomic.Int64
	u     atomic.Uint32
	c     int64
	on    atomic.Bool
	state atomic.Int32
	owner atomic.Pointer[Meter]
}

func (m *Meter) Sum(d int64) {
	m.n.Store(m.n.Load() + d) // want `lost-update`
}

func (m *Meter) First(d int64) {
	m.n.Store(1 + m.n.Load()) // want `lost-update`
}

func (m *Meter) Sub(d int64) {
	m.n.Store(m.n.Load() - d) // want `lost-update`
}

func (m *Meter) Functions() {
	atomic.StoreInt64(&m.c, atomic.LoadInt64(&m.c)+1) // want `lost-update`
}

func (m *Meter) Next() int64 {
	n := m.n.Load()
	m.n.Store(n + 1) // want `lost-update`
	return n
}

func (m *Meter) After() int64 {
	n := m.n.Load() + 1
	m.n.Store(n) // want `lost-update`
	return n
}

func (m *Meter) Unused() {
	n := m.n.Load()
	m.n.Store(n + 1) // want `lost-update`
}

func (m *Meter) Begin(f func()) {
	if !m.on.Load() {
		m.on.Store(true) // want `check-then-act`
		f()
	}
}

func (m *Meter) End(f func()) {
	if f != nil && m.on.Load() {
		m.on.Store(false) // want `check-then-act`
		f()
	}
}

func (m *Meter) Advance(from, to int32) bool {
	if m.state.Load() != from {
		return false
	}
	m.state.Store(to) // want `check-then-act`
	return true
}

func (m *Meter) Move(to int32) bool {
	was := m.state.Load()
	if was != 3 {
		return false
	}
	m.state.Store(to) // want `check-then-act`
	return true
}

func (m *Meter) Claim(f func()) {
	if atomic.LoadInt64(&m.c) == 0 {
		atomic.StoreInt64(&m.c, 1) // want `check-then-act`
		f()
	}
}

func (m *Meter) Own(by *Meter) bool {
	if o := m.owner.Load(); o == nil {
		m.owner.Store(by) // want `check-then-act`
		return true
	}
	return false
}

func (m *Meter) Switch(to int32, f func()) {
	if m.state.Load() != to {
		m.state.Store(to) // want `check-then-act`
		f()
	}
}

func (m *Meter) Leave(f func(was int32)) {
	was := m.state.Load()
	if was == 7 {
		return
	}
	left := was + 1
	m.state.Store(7) // want `check-then-act`
	f(left)
}

func (m *Meter) Raise(f func(int64)) {
	if was := atomic.LoadInt64(&m.c); was != 9 {
		atomic.StoreInt64(&m.c, 9) // want `check-then-act`
		f(was)
	}
}

// What follows has no fix.

func (m *Meter) unsigned(d uint32) {
	m.u.Store(m.u.Load() - d) // want `lost-update`
}

func (m *Meter) twice() {
	m.n.Store(m.n.Load() * 2) // want `lost-update`
}

func (m *Meter) calls(f func() int64) {
	m.n.Store(m.n.Load() + f()) // want `lost-update`
}

func (m *Meter) between(f func()) {
	if !m.on.Load() {
		f()
		m.on.Store(true) // want `check-then-act`
	}
}

func (m *Meter) makes(f func() *Meter) {
	if m.owner.Load() == nil {
		m.owner.Store(f()) // want `check-then-act`
	}
}

func (m *Meter) used() int32 {
	was := m.state.Load()
	if was == 3 {
		m.state.Store(was + 2) // want `lost-update`
	}
	return was
}

func (m *Meter) otherwise(to int32) {
	if m.state.Load() == 3 {
		println("three")
	} else {
		m.state.Store(to) // want `check-then-act`
	}
}

func (m *Meter) above(to int32) {
	if m.state.Load() > 3 {
		m.state.Store(to) // want `check-then-act`
	}
}

func (m *Meter) partly(ready bool, f func(int32)) {
	was := m.state.Load()
	if ready && was != 4 {
		m.state.Store(4) // want `check-then-act`
		f(was)
	}
}

func (m *Meter) another(f func(int32)) {
	was := m.state.Load()
	if was != 4 {
		m.state.Store(5) // want `check-then-act`
		f(was)
	}
}

func (m *Meter) changed(to int32, f func(int32)) {
	was := m.state.Load()
	if was != to {
		to++
		m.state.Store(to) // want `check-then-act`
		f(was)
	}
}

func (m *Meter) afterCall(f func(int32)) {
	was := m.state.Load()
	if was != 4 {
		f(was)
		m.state.Store(4) // want `check-then-act`
	}
}

func (m *Meter) escapes(f func(*int64)) {
	if atomic.LoadInt64(&m.c) == 0 {
		p := &m.c
		atomic.StoreInt64(&m.c, 1) // want `check-then-act`
		f(p)
	}
}
