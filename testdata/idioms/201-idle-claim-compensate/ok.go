// Package ok moves a connection to idle mode when no calls are made.
package ok

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// ClientConn is the connection.
type ClientConn interface {
	EnterIdleMode()
	ExitIdleMode()
}

// Manager implements idleness detection.
type Manager struct {
	lastCallEndTime           int64 // Unix timestamp in nanos
	activeCallsCount          int32 // Count of active RPCs; -math.MaxInt32 means idle or trying to get there.
	activeSinceLastTimerCheck int32 // Boolean
	closed                    int32 // Boolean

	cc      ClientConn
	timeout time.Duration

	idleMu       sync.RWMutex
	actuallyIdle bool
	timer        *time.Timer
}

// NewManager returns a manager of an idle connection.
func NewManager(cc ClientConn, timeout time.Duration) *Manager {
	return &Manager{cc: cc, timeout: timeout, actuallyIdle: true, activeCallsCount: -math.MaxInt32}
}

func (m *Manager) resetIdleTimerLocked(d time.Duration) {
	if m.isClosed() || m.timeout == 0 || m.actuallyIdle {
		return
	}
	if m.timer != nil {
		m.timer.Stop()
	}
	m.timer = time.AfterFunc(d, m.handleIdleTimeout)
}

func (m *Manager) resetIdleTimer(d time.Duration) {
	m.idleMu.Lock()
	defer m.idleMu.Unlock()
	m.resetIdleTimerLocked(d)
}

func (m *Manager) handleIdleTimeout() {
	if m.isClosed() {
		return
	}
	if atomic.LoadInt32(&m.activeCallsCount) > 0 {
		m.resetIdleTimer(m.timeout)
		return
	}
	// There has been activity on the channel since we last got here.
	if atomic.LoadInt32(&m.activeSinceLastTimerCheck) == 1 {
		atomic.StoreInt32(&m.activeSinceLastTimerCheck, 0)
		m.resetIdleTimer(time.Duration(atomic.LoadInt64(&m.lastCallEndTime)-time.Now().UnixNano()) + m.timeout)
		return
	}
	if m.tryEnterIdleMode() {
		return
	}
	m.resetIdleTimer(m.timeout)
}

func (m *Manager) tryEnterIdleMode() bool {
	// Setting the activeCallsCount to -math.MaxInt32 indicates to OnCallBegin
	// that the channel is either in idle mode or is trying to get there.
	if !atomic.CompareAndSwapInt32(&m.activeCallsCount, 0, -math.MaxInt32) {
		return false
	}

	m.idleMu.Lock()
	defer m.idleMu.Unlock()

	if atomic.LoadInt32(&m.activeCallsCount) != -math.MaxInt32 {
		// We raced and lost to a new RPC. Very rare, but stop entering idle.
		atomic.AddInt32(&m.activeCallsCount, math.MaxInt32)
		return false
	}
	if atomic.LoadInt32(&m.activeSinceLastTimerCheck) == 1 {
		// A very short RPC could have come in (and also finished).
		atomic.AddInt32(&m.activeCallsCount, math.MaxInt32)
		return false
	}

	m.cc.EnterIdleMode()
	m.actuallyIdle = true
	return true
}

// OnCallBegin is invoked at the start of every RPC.
func (m *Manager) OnCallBegin() {
	if m.isClosed() {
		return
	}
	if atomic.AddInt32(&m.activeCallsCount, 1) > 0 {
		// Channel is not idle now. Set the activity bit and allow the call.
		atomic.StoreInt32(&m.activeSinceLastTimerCheck, 1)
		return
	}
	m.exitIdleMode()
	atomic.StoreInt32(&m.activeSinceLastTimerCheck, 1)
}

func (m *Manager) exitIdleMode() {
	m.idleMu.Lock()
	defer m.idleMu.Unlock()

	if m.isClosed() || !m.actuallyIdle {
		// tryEnterIdleMode lost, or another call was first.
		return
	}
	m.cc.ExitIdleMode()
	// Undo the idle entry process. This also respects any new RPC attempts.
	atomic.AddInt32(&m.activeCallsCount, math.MaxInt32)
	m.actuallyIdle = false
	m.resetIdleTimerLocked(m.timeout)
}

// OnCallEnd is invoked at the end of every RPC.
func (m *Manager) OnCallEnd() {
	if m.isClosed() {
		return
	}
	atomic.StoreInt64(&m.lastCallEndTime, time.Now().UnixNano())
	atomic.AddInt32(&m.activeCallsCount, -1)
}

func (m *Manager) isClosed() bool { return atomic.LoadInt32(&m.closed) == 1 }

// Close stops the timer and disables the manager.
func (m *Manager) Close() {
	atomic.StoreInt32(&m.closed, 1)
	m.idleMu.Lock()
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
	m.idleMu.Unlock()
}
