// Package memberlist detects the failure of cluster members by probes.
package memberlist

import (
	"log"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Transport sends the packets of the failure detector.
type Transport interface {
	Ping(to netip.Addr, seqNo uint32) error
	IndirectPing(via, target netip.Addr, seqNo uint32) error
}

// Config has the timing of the probes.
type Config struct {
	Name           string
	IndirectChecks int           // members to ask for help, at least 1
	ProbeTimeout   time.Duration // round trip of a direct ping
	ProbeInterval  time.Duration
	Logger         *log.Logger
}

type nodeStateType int

const (
	stateAlive nodeStateType = iota
	stateSuspect
	stateDead
)

// nodeState is our view of a member.
type nodeState struct {
	Name        string
	Addr        netip.Addr
	Incarnation uint32
	State       nodeStateType
}

// Memberlist is the local view of the cluster.
type Memberlist struct {
	config      *Config
	transport   Transport
	sequenceNum atomic.Uint32

	nodeLock sync.RWMutex
	nodes    []*nodeState
	nodeMap  map[string]*nodeState

	probeIndex int // used by the probe goroutine
	stopTick   chan struct{}

	ackLock     sync.Mutex
	ackHandlers map[uint32]*ackHandler
}

// Create starts to probe the members as they become known.
func Create(conf *Config, t Transport) *Memberlist {
	m := &Memberlist{
		config:      conf,
		transport:   t,
		nodeMap:     make(map[string]*nodeState),
		stopTick:    make(chan struct{}),
		ackHandlers: make(map[uint32]*ackHandler),
	}
	go m.triggerProbe()
	return m
}

// Shutdown stops the probes. It must be called once.
func (m *Memberlist) Shutdown() { close(m.stopTick) }

func (m *Memberlist) triggerProbe() {
	t := time.NewTicker(m.config.ProbeInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.probe()
		case <-m.stopTick:
			return
		}
	}
}

// Alive handles the news that a member is alive.
func (m *Memberlist) Alive(name string, addr netip.Addr, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok {
		state = &nodeState{Name: name}
		m.nodeMap[name] = state
		m.nodes = append(m.nodes, state)
	} else if incarnation <= state.Incarnation {
		return
	}
	state.Addr, state.Incarnation, state.State = addr, incarnation, stateAlive
}

// Suspect handles the news that a member did not answer.
func (m *Memberlist) Suspect(name string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok || incarnation < state.Incarnation || state.State != stateAlive {
		return
	}
	state.Incarnation, state.State = incarnation, stateSuspect
}
