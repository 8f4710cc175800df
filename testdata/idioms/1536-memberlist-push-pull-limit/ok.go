package a

import (
	"encoding/json"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const maxPushPullRequests = 128 // Maximum number of concurrent push/pull requests

// nodeState is what a member tells about another one.
type nodeState struct {
	Name        string
	Incarnation uint32
}

// Memberlist is a member of a cluster.
type Memberlist struct {
	pushPullReq atomic.Uint32 // Number of push/pull requests
	logger      *log.Logger

	nodeLock sync.RWMutex
	nodes    map[string]nodeState
}

func newMemberlist(logger *log.Logger) *Memberlist {
	return &Memberlist{logger: logger, nodes: map[string]nodeState{}}
}

// streamListen handles all connections of a listener.
func (m *Memberlist) streamListen(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go m.handleConn(conn)
	}
}

func (m *Memberlist) handleConn(conn net.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))

	// Increment counter of pending push/pulls
	numConcurrent := m.pushPullReq.Add(1)
	defer m.pushPullReq.Add(^uint32(0))

	// Check if we have too many open push/pull requests
	if numConcurrent >= maxPushPullRequests {
		m.logger.Printf("[ERR] memberlist: Too many pending push/pull requests")
		return
	}

	var remote []nodeState
	if err := json.NewDecoder(conn).Decode(&remote); err != nil {
		m.logger.Printf("[ERR] memberlist: Failed to read remote state: %s", err)
		return
	}
	if err := json.NewEncoder(conn).Encode(m.localState()); err != nil {
		m.logger.Printf("[ERR] memberlist: Failed to push local state: %s", err)
		return
	}
	m.mergeState(remote)
}

func (m *Memberlist) localState() []nodeState {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	states := make([]nodeState, 0, len(m.nodes))
	for _, n := range m.nodes {
		states = append(states, n)
	}
	return states
}

func (m *Memberlist) mergeState(remote []nodeState) {
	for _, r := range remote {
		m.aliveNode(r)
	}
}

func (m *Memberlist) aliveNode(a nodeState) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	// Ignore old incarnation numbers.
	if n, ok := m.nodes[a.Name]; ok && a.Incarnation <= n.Incarnation {
		return
	}
	m.nodes[a.Name] = a
}
