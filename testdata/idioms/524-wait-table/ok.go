// Package ok lets callers wait for the outcome of their proposals.
package ok

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errStopped = errors.New("stopped")

const shards = 16

type shard struct {
	mu sync.RWMutex
	m  map[uint64]chan any
}

// Table has the callers that wait.
type Table struct{ s [shards]shard }

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{}
	for i := range t.s {
		t.s[i].m = make(map[uint64]chan any)
	}
	return t
}

// Register returns the channel on which the outcome arrives.
func (t *Table) Register(id uint64) <-chan any {
	s := &t.s[id%shards]
	ch := make(chan any, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.m[id]; dup {
		panic(fmt.Sprintf("duplicate id %x", id))
	}
	s.m[id] = ch
	return ch
}

// Trigger delivers an outcome; without a caller it does nothing.
func (t *Table) Trigger(id uint64, x any) {
	s := &t.s[id%shards]
	s.mu.Lock()
	ch := s.m[id]
	delete(s.m, id)
	s.mu.Unlock()
	if ch != nil {
		ch <- x
		close(ch)
	}
}

// IsRegistered tells whether somebody waits.
func (t *Table) IsRegistered(id uint64) bool {
	s := &t.s[id%shards]
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.m[id]
	return ok
}

type entry struct {
	id  uint64
	cmd string
}

// Node carries out commands in one order.
type Node struct {
	wait    *Table
	gen     atomic.Uint64
	queue   chan entry
	stop    chan struct{}
	once    sync.Once
	applied atomic.Uint64
}

// NewNode returns a running node.
func NewNode() *Node {
	n := &Node{wait: NewTable(), queue: make(chan entry, 64), stop: make(chan struct{})}
	go n.run()
	return n
}

func (n *Node) run() {
	for {
		select {
		case e := <-n.queue:
			i := n.applied.Add(1)
			if n.wait.IsRegistered(e.id) {
				n.wait.Trigger(e.id, fmt.Sprintf("%d:%s", i, e.cmd))
			}
		case <-n.stop:
			return
		}
	}
}

// Propose waits until the command has been carried out.
func (n *Node) Propose(ctx context.Context, cmd string) (string, error) {
	id := n.gen.Add(1)
	ch := n.wait.Register(id)
	select {
	case n.queue <- entry{id, cmd}:
	case <-ctx.Done():
		n.wait.Trigger(id, nil)
		return "", ctx.Err()
	case <-n.stop:
		n.wait.Trigger(id, nil)
		return "", errStopped
	}
	select {
	case x := <-ch:
		return x.(string), nil
	case <-ctx.Done():
		n.wait.Trigger(id, nil)
		return "", ctx.Err()
	case <-n.stop:
		n.wait.Trigger(id, nil)
		return "", errStopped
	}
}

// Stop ends the node.
func (n *Node) Stop() { n.once.Do(func() { close(n.stop) }) }
