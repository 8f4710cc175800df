// Package alone has if statements of which nothing is left but the call. A comment in one would
// keep it, so that no comment says what is wanted.
package alone

import (
	"sync"
	"sync/atomic"
)

type Meter struct {
	state atomic.Int32
	m     sync.Map
}

func (m *Meter) Advance(to int32) {
	if m.state.Load() == 1 {
		m.state.Store(to)
	}
}

func (m *Meter) Move(to int32) {
	was := m.state.Load()
	if was == 1 {
		m.state.Store(to)
	}
}

func (m *Meter) Replace(k string) {
	if v, _ := m.m.Load(k); v == 1 {
		m.m.Store(k, 2)
	}
}

func (m *Meter) Take(k string) any {
	v, ok := m.m.Load(k)
	if ok {
		m.m.Delete(k)
	}
	return v
}
