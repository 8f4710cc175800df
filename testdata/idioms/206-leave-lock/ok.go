// Package ok leaves a cluster.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

type nodeState struct {
	Name        string
	Incarnation uint32
	Dead        bool
}

type dead struct {
	Incarnation uint32
	Node        string
	From        string
}

// Memberlist is one member.
type Memberlist struct {
	name string

	shutdown       atomic.Int32 // Used as an atomic boolean value
	shutdownCh     chan struct{}
	leave          atomic.Int32 // Used as an atomic boolean value
	leaveBroadcast chan struct{}

	shutdownLock sync.Mutex // Serializes calls to Shutdown
	leaveLock    sync.Mutex // Serializes calls to Leave

	nodeLock sync.RWMutex
	nodeMap  map[string]*nodeState

	queue func(d *dead, notify chan struct{})
}

func (m *Memberlist) hasShutdown() bool { return m.shutdown.Load() == 1 }

func (m *Memberlist) hasLeft() bool { return m.leave.Load() == 1 }

// Leave will broadcast a leave message but will not shutdown the background
// listeners. This method is safe to call multiple times.
func (m *Memberlist) Leave(timeout time.Duration) error {
	m.leaveLock.Lock()
	defer m.leaveLock.Unlock()

	if m.hasShutdown() {
		return errors.New("leave after shutdown")
	}

	if !m.hasLeft() {
		m.leave.Store(1)

		m.nodeLock.Lock()
		state, ok := m.nodeMap[m.name]
		var d *dead
		if ok {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: state.Name}
		}
		m.nodeLock.Unlock()
		if !ok {
			return nil
		}
		m.deadNode(d)

		// Block until the broadcast goes out
		if m.anyAlive() {
			select {
			case <-m.leaveBroadcast:
			case <-time.After(timeout):
				return errors.New("timeout waiting for leave broadcast")
			}
		}
	}
	return nil
}

// anyAlive is only a reason to wait.
func (m *Memberlist) anyAlive() bool {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	for _, n := range m.nodeMap {
		if !n.Dead && n.Name != m.name {
			return true
		}
	}
	return false
}

// deadNode is also called by the network layer.
func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	if !ok || d.Incarnation < state.Incarnation || state.Dead {
		return
	}
	if state.Name == m.name && !m.hasLeft() {
		// Somebody thinks that we are dead: refute.
		state.Incarnation = d.Incarnation + 1
		return
	}
	state.Incarnation = d.Incarnation
	state.Dead = true
	m.queue(d, m.leaveBroadcast)
}

// Shutdown will stop any background maintenance. It may be called repeatedly.
func (m *Memberlist) Shutdown() error {
	m.shutdownLock.Lock()
	defer m.shutdownLock.Unlock()

	if m.hasShutdown() {
		return nil
	}
	m.shutdown.Store(1)
	close(m.shutdownCh)
	return nil
}
