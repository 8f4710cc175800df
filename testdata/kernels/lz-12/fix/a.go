package a

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	stateAlive = iota
	stateDead
)

type nodeState struct {
	Name        string
	Incarnation uint32
	State       int
}

type alive struct {
	Incarnation uint32
	Node        string
}

type dead alive

type Transport interface {
	Broadcast(d *dead, notify chan struct{})
	Shutdown() error
}

type Memberlist struct {
	name           string
	transport      Transport
	leaveBroadcast chan struct{}
	shutdownCh     chan struct{}

	shutdown int32 // Used as an atomic boolean value
	leave    int32 // Used as an atomic boolean value

	shutdownLock sync.Mutex // Serializes calls to Shutdown
	leaveLock    sync.Mutex // Serializes calls to Leave

	nodeLock sync.RWMutex
	nodes    []*nodeState
	nodeMap  map[string]*nodeState
}

// This will block until the leave message is successfully broadcasted to
// a member of the cluster, if any exist or until a specified timeout.
// This method is safe to call multiple times.
func (m *Memberlist) Leave(timeout time.Duration) error {
	m.leaveLock.Lock()
	defer m.leaveLock.Unlock()

	if !m.hasLeft() {
		atomic.StoreInt32(&m.leave, 1)
		m.nodeLock.Lock()
		state, ok := m.nodeMap[m.name]
		if !ok {
			m.nodeLock.Unlock()
			return nil
		}
		d := dead{Incarnation: state.Incarnation, Node: state.Name}
		m.nodeLock.Unlock()
		m.deadNode(&d)

		// Block until the broadcast goes out
		if m.anyAlive() {
			select {
			case <-m.leaveBroadcast:
			case <-time.After(timeout):
				return fmt.Errorf("timeout waiting for leave broadcast")
			}
		}
	}
	return nil
}

func (m *Memberlist) anyAlive() bool {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	for _, n := range m.nodes {
		if n.State == stateAlive && n.Name != m.name {
			return true
		}
	}
	return false
}

// This method is safe to call multiple times.
func (m *Memberlist) Shutdown() error {
	m.shutdownLock.Lock()
	defer m.shutdownLock.Unlock()

	if m.hasShutdown() {
		return nil
	}
	m.transport.Shutdown()
	atomic.StoreInt32(&m.shutdown, 1)
	close(m.shutdownCh)
	return nil
}

func (m *Memberlist) hasShutdown() bool { return atomic.LoadInt32(&m.shutdown) == 1 }
func (m *Memberlist) hasLeft() bool     { return atomic.LoadInt32(&m.leave) == 1 }

func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if m.hasLeft() && a.Node == m.name {
		return
	}
	if !ok {
		state = &nodeState{Name: a.Node}
		m.nodeMap[a.Node] = state
		m.nodes = append(m.nodes, state)
	}
	state.Incarnation = a.Incarnation
	state.State = stateAlive
}

func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	if !ok || d.Incarnation < state.Incarnation || state.State == stateDead {
		return
	}
	state.State = stateDead
	go m.transport.Broadcast(d, m.leaveBroadcast)
}

// Agent calls stop from the signal handler and from the RPC handler.
type Agent struct{ list *Memberlist }

func (a *Agent) stop() error {
	if err := a.list.Leave(5 * time.Second); err != nil {
		return err
	}
	return a.list.Shutdown()
}

func (a *Agent) HandleSignal()         { go a.stop() }
func (a *Agent) HandleLeaveRPC() error { return a.stop() }
