// Package memberlist keeps a list of the members of a cluster.
package memberlist

import (
	"math/rand"
	"slices"
	"sync"
	"time"
)

// Config has the timing of a node.
type Config struct {
	Name             string
	PushPullInterval time.Duration // How often we do a Push/Pull update
	ProbeInterval    time.Duration // Failure probing interval length

	GossipNodes    int           // Number of nodes to gossip to per GossipInterval
	GossipInterval time.Duration // Gossip interval for non-piggyback messages (only if GossipNodes > 0)
}

// Transport talks to other nodes. Its methods may take a while.
type Transport interface {
	Ping(node string) bool
	Gossip(node string, members []string)
	PushPull(node string, members []string) ([]string, error)
}

// Memberlist is one node.
type Memberlist struct {
	config    *Config
	transport Transport

	nodeLock   sync.RWMutex
	nodes      []string // Known nodes
	probeIndex int

	tickerLock sync.Mutex
	tickers    []*time.Ticker
	stopTick   chan struct{}
}

// Create will start memberlist but does not connect to any other node
func Create(conf *Config, trans Transport) *Memberlist {
	m := &Memberlist{
		config:    conf,
		transport: trans,
	}
	m.schedule()
	return m
}

// Join is used to take an existing Memberlist and attempt to join
// a cluster by contacting all the given hosts. Returns the number successfully,
// contacted and an error if none could be reached.
func (m *Memberlist) Join(existing []string) (int, error) {
	// Attempt to join any of them
	numSuccess := 0
	var retErr error
	for _, exist := range existing {
		if err := m.pushPullNode(exist); err != nil {
			retErr = err
			continue
		}
		m.aliveNode(exist)
		numSuccess++
	}
	if numSuccess > 0 {
		retErr = nil
	}
	return numSuccess, retErr
}

// Members is used to return a list of all known live nodes
func (m *Memberlist) Members() []string {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	return slices.Clone(m.nodes)
}

// Pause stops the background maintenence, Resume starts it again.
func (m *Memberlist) Pause() { m.deschedule() }

// Resume starts the background maintenence.
func (m *Memberlist) Resume() { m.schedule() }

// Shutdown will stop the memberlist background maintenence
func (m *Memberlist) Shutdown() { m.deschedule() }

func (m *Memberlist) aliveNode(name string) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	if name != m.config.Name && !slices.Contains(m.nodes, name) {
		m.nodes = append(m.nodes, name)
	}
}

func (m *Memberlist) removeNode(name string) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	if i := slices.Index(m.nodes, name); i >= 0 {
		m.nodes = slices.Delete(m.nodes, i, i+1)
	}
}

func kRandomNodes(k int, nodes []string) []string {
	rand.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	return nodes[:min(k, len(nodes))]
}
