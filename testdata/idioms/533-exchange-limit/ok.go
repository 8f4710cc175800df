// Package ok limits the exchanges of full state that run at the same time.
package ok

import (
	"errors"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const maxExchanges = 128

var errTooMany = errors.New("too many exchanges")

// Node answers peers that want to exchange their state.
type Node struct {
	exchanges atomic.Int32
	rejected  atomic.Uint64

	mu    sync.RWMutex
	state map[string]uint64

	down     atomic.Bool
	shutdown sync.Mutex
	quit     chan struct{}
}

// NewNode returns a node.
func NewNode() *Node {
	return &Node{state: make(map[string]uint64), quit: make(chan struct{})}
}

// Serve accepts peers until Close.
func (n *Node) Serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			if n.down.Load() {
				return
			}
			log.Printf("accept: %v", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go n.handle(c)
	}
}

func (n *Node) handle(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if err := n.exchange(c); err != nil {
		log.Printf("peer %s: %v", c.RemoteAddr(), err)
	}
}

func (n *Node) exchange(c net.Conn) error {
	running := n.exchanges.Add(1)
	defer n.exchanges.Add(-1)
	if running > maxExchanges {
		n.rejected.Add(1)
		return errTooMany
	}
	remote, err := readState(c)
	if err != nil {
		return err
	}
	if err := writeState(c, n.snapshot()); err != nil {
		return err
	}
	n.merge(remote)
	return nil
}

func (n *Node) snapshot() map[string]uint64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	m := make(map[string]uint64, len(n.state))
	for k, v := range n.state {
		m[k] = v
	}
	return m
}

func (n *Node) merge(remote map[string]uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for k, v := range remote {
		if v > n.state[k] {
			n.state[k] = v
		}
	}
}

// Running returns the number of exchanges.
func (n *Node) Running() int { return int(n.exchanges.Load()) }

// Close may be called more than once.
func (n *Node) Close() {
	n.shutdown.Lock()
	defer n.shutdown.Unlock()
	if n.down.Load() {
		return
	}
	n.down.Store(true)
	close(n.quit)
}

func readState(c net.Conn) (map[string]uint64, error) {
	var count [1]byte
	if _, err := c.Read(count[:]); err != nil {
		return nil, err
	}
	m := make(map[string]uint64, count[0])
	for range count[0] {
		var b [2]byte
		if _, err := c.Read(b[:]); err != nil {
			return nil, err
		}
		m[string(b[:1])] = uint64(b[1])
	}
	return m, nil
}

func writeState(c net.Conn, m map[string]uint64) error {
	b := []byte{byte(min(len(m), 255))}
	for k, v := range m {
		b = append(b, k[0], byte(v))
	}
	_, err := c.Write(b)
	return err
}
