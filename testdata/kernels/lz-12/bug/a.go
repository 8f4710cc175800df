package a

import (
	"fmt"
	"sync"
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

	nodeLock sync.RWMutex
	shutdown bool
	leave    bool
	nodes    []*nodeState
	nodeMap  map[string]*nodeState
}

// This will block until the leave message is successfully broadcasted to
// a member of the cluster, if any exist or until a specified timeout.
// This method is safe to call multiple times.
func (m *Memberlist) Leave(timeout time.Duration) error {
	m.nodeLock.Lock()
	if !m.leave {
		m.leave = true
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
	} else {
		m.nodeLock.Unlock()
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
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()

	if m.shutdown {
		return nil
	}
	m.transport.Shutdown()
	m.shutdown = true
	close(m.shutdownCh)
	return nil
}

func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if m.leave && a.Node == m.name {
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
