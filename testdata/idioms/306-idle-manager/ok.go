// Package ok closes the connections of a channel that has no calls.
package ok

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is told when to open and close connections.
type Conn interface {
	EnterIdle()
	ExitIdle()
}

// Manager watches the calls of one channel.
type Manager struct {
	conn    Conn
	timeout time.Duration

	lastCallEnd atomic.Int64
	// activeCalls is negative while the channel is idle or about to be.
	activeCalls atomic.Int32
	activeSince atomic.Bool // there were calls since the last timer
	closed      atomic.Bool

	mu    sync.Mutex
	idle  bool
	timer *time.Timer
}

// NewManager returns the manager of an idle channel.
func NewManager(conn Conn, timeout time.Duration) *Manager {
	m := &Manager{conn: conn, timeout: timeout, idle: true}
	m.activeCalls.Store(-math.MaxInt32)
	return m
}

// resetTimerLocked starts the timer again. The caller holds m.mu.
func (m *Manager) resetTimerLocked(d time.Duration) {
	if m.closed.Load() || m.idle {
		return
	}
	if m.timer != nil {
		m.timer.Stop()
	}
	m.timer = time.AfterFunc(d, m.handleTimeout)
}

func (m *Manager) resetTimer(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resetTimerLocked(d)
}

func (m *Manager) handleTimeout() {
	if m.closed.Load() {
		return
	}
	if m.activeCalls.Load() > 0 {
		m.resetTimer(m.timeout)
		return
	}
	if m.activeSince.Load() {
		m.activeSince.Store(false)
		m.resetTimer(time.Duration(m.lastCallEnd.Load()-time.Now().UnixNano()) + m.timeout)
		return
	}
	if m.tryEnterIdle() {
		return
	}
	m.resetTimer(m.timeout)
}

// tryEnterIdle claims the counter and then looks once more for calls.
func (m *Manager) tryEnterIdle() bool {
	if !m.activeCalls.CompareAndSwap(0, -math.MaxInt32) {
		// A call has started.
		return false
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if m.activeCalls.Load() != -math.MaxInt32 {
		// We lost to a new call, which now waits for the lock or runs on.
		m.activeCalls.Add(math.MaxInt32)
		return false
	}
	if m.activeSince.Load() {
		// A very short call came and went before the swap.
		m.activeCalls.Add(math.MaxInt32)
		return false
	}
	m.conn.EnterIdle()
	m.idle = true
	return true
}

// exitIdle opens the channel if it is idle.
func (m *Manager) exitIdle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed.Load() || !m.idle {
		// Another call was first, or tryEnterIdle has given up.
		return
	}
	m.conn.ExitIdle()
	m.activeCalls.Add(math.MaxInt32)
	m.idle = false
	m.resetTimerLocked(m.timeout)
}

func (m *Manager) onCallBegin() {
	if m.closed.Load() {
		return
	}
	if m.activeCalls.Add(1) > 0 {
		m.activeSince.Store(true)
		return
	}
	m.exitIdle()
	m.activeSince.Store(true)
}

func (m *Manager) onCallEnd() {
	if m.closed.Load() {
		return
	}
	m.lastCallEnd.Store(time.Now().UnixNano())
	m.activeCalls.Add(-1)
}

// Go runs call in a goroutine of its own.
func (m *Manager) Go(call func()) {
	m.onCallBegin()
	go func() {
		defer m.onCallEnd()
		call()
	}()
}

// Close stops the timer.
func (m *Manager) Close() {
	m.closed.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
}
