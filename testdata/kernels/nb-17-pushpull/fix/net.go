// Package memberlist keeps the members of a cluster by gossip.
package memberlist

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

type messageType uint8

const (
	pingMsg messageType = iota
	pushPullMsg
	userMsg
	errMsg
)

const maxPushPullRequests = 128 // Maximum number of concurrent push/pull requests

// StateType is the state of a node.
type StateType int

const (
	StateAlive StateType = iota
	StateSuspect
	StateDead
)

// pushNodeState is used for pushPullReq when we are
// transferring out node states
type pushNodeState struct {
	Name        string
	Addr        string
	Incarnation uint32
	State       StateType
}

type pushPull struct {
	Join      bool
	Nodes     []pushNodeState
	UserState []byte
}

// Delegate is the interface that clients must implement if they want to hook
// into the gossip layer of Memberlist.
type Delegate interface {
	NotifyMsg([]byte)
	LocalState(join bool) []byte
	MergeRemoteState(buf []byte, join bool)
}

// Config of a Memberlist.
type Config struct {
	Name       string
	TCPTimeout time.Duration
	Delegate   Delegate
}

type nodeState struct {
	pushNodeState
	StateChange time.Time
}

type Memberlist struct {
	sequenceNum uint32 // Local sequence number
	numNodes    uint32 // Number of known nodes (estimate)
	pushPullReq uint32 // Number of push/pull requests

	config     *Config
	logger     *log.Logger
	streamCh   chan net.Conn
	shutdown   int32 // Used as an atomic boolean value
	shutdownCh chan struct{}

	nodeLock sync.RWMutex
	nodeMap  map[string]*nodeState
}

// Create starts a member.
func Create(conf *Config, ln net.Listener, logger *log.Logger) *Memberlist {
	m := &Memberlist{
		config:     conf,
		logger:     logger,
		streamCh:   make(chan net.Conn),
		shutdownCh: make(chan struct{}),
		nodeMap:    make(map[string]*nodeState),
	}
	go m.accept(ln)
	go m.streamListen()
	return m
}

func (m *Memberlist) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		select {
		case m.streamCh <- conn:
		case <-m.shutdownCh:
			conn.Close()
			return
		}
	}
}

// streamListen is a long running goroutine that pulls incoming streams from the
// transport and hands them off for processing.
func (m *Memberlist) streamListen() {
	for {
		select {
		case conn := <-m.streamCh:
			go m.handleConn(conn)
		case <-m.shutdownCh:
			return
		}
	}
}

// handleConn handles a single incoming stream connection from the transport.
func (m *Memberlist) handleConn(conn net.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(m.config.TCPTimeout))
	bufConn := bufio.NewReader(conn)
	b, err := bufConn.ReadByte()
	if err != nil {
		if err != io.EOF {
			m.logger.Printf("[ERR] memberlist: failed to receive: %s", err)
		}
		return
	}
	dec := gob.NewDecoder(bufConn)

	switch msgType := messageType(b); msgType {
	case userMsg:
		if err := m.readUserMsg(dec); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed to receive user message: %s", err)
		}
	case pushPullMsg:
		// Increment counter of pending push/pulls
		numConcurrent := atomic.AddUint32(&m.pushPullReq, 1)
		defer atomic.AddUint32(&m.pushPullReq, ^uint32(0))

		// Check if we have too many open push/pull requests
		if numConcurrent > maxPushPullRequests {
			m.logger.Printf("[ERR] memberlist: Too many pending push/pull requests")
			return
		}

		var remote pushPull
		if err := dec.Decode(&remote); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed to read remote state: %s", err)
			return
		}
		if err := m.sendLocalState(conn, remote.Join); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed to push local state: %s", err)
			return
		}
		if err := m.mergeRemoteState(&remote); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed push/pull merge: %s", err)
		}
	case pingMsg:
		seq := atomic.AddUint32(&m.sequenceNum, 1)
		if err := gob.NewEncoder(conn).Encode(seq); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed to send ack: %s", err)
		}
	default:
		m.logger.Printf("[ERR] memberlist: Received invalid msgType (%d)", msgType)
	}
}

func (m *Memberlist) readUserMsg(dec *gob.Decoder) error {
	var buf []byte
	if err := dec.Decode(&buf); err != nil {
		return err
	}
	if d := m.config.Delegate; d != nil {
		d.NotifyMsg(buf)
	}
	return nil
}

// sendLocalState is invoked to send our local state over a stream connection.
func (m *Memberlist) sendLocalState(conn net.Conn, join bool) error {
	conn.SetDeadline(time.Now().Add(m.config.TCPTimeout))
	local := pushPull{Join: join}
	m.nodeLock.RLock()
	for _, n := range m.nodeMap {
		local.Nodes = append(local.Nodes, n.pushNodeState)
	}
	m.nodeLock.RUnlock()
	if m.config.Delegate != nil {
		local.UserState = m.config.Delegate.LocalState(join)
	}
	return gob.NewEncoder(conn).Encode(&local)
}

func (m *Memberlist) mergeRemoteState(remote *pushPull) error {
	m.nodeLock.Lock()
	for _, r := range remote.Nodes {
		if r.Name == "" {
			m.nodeLock.Unlock()
			return errors.New("node without a name")
		}
		local, ok := m.nodeMap[r.Name]
		if ok && r.Incarnation <= local.Incarnation {
			continue
		}
		m.nodeMap[r.Name] = &nodeState{r, time.Now()}
	}
	atomic.StoreUint32(&m.numNodes, uint32(len(m.nodeMap)))
	m.nodeLock.Unlock()
	if m.config.Delegate != nil && remote.UserState != nil {
		m.config.Delegate.MergeRemoteState(remote.UserState, remote.Join)
	}
	return nil
}

// Shutdown will stop any background maintenance.
func (m *Memberlist) Shutdown() error {
	if !atomic.CompareAndSwapInt32(&m.shutdown, 0, 1) {
		return fmt.Errorf("memberlist: %s is already shut down", m.config.Name)
	}
	close(m.shutdownCh)
	return nil
}
