// Package a applies the entries of a replicated log to a state machine and
// lets readers wait for their own writes.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrGap is returned when an entry does not follow the last one.
var ErrGap = errors.New("log entry out of sequence")

// Entry is one committed command.
type Entry struct {
	Index uint64
	Key   string
	Value string
}

// machine is the replicated state.
type machine interface {
	Apply(Entry) error
	Applied() uint64
	Get(key string) (string, bool)
}

// kvMachine is a machine that keeps a table in memory.
type kvMachine struct {
	mu      sync.RWMutex
	table   map[string]string
	applied uint64
}

func newKVMachine() *kvMachine {
	return &kvMachine{table: make(map[string]string)}
}

func (m *kvMachine) Apply(e Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Index != m.applied+1 {
		return fmt.Errorf("%w: %d after %d", ErrGap, e.Index, m.applied)
	}
	m.table[e.Key] = e.Value
	m.applied = e.Index
	return nil
}

func (m *kvMachine) Applied() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.applied
}

func (m *kvMachine) Get(key string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.table[key]
	return v, ok
}

// bell wakes everybody who waits on the channel that Chan has returned.
type bell struct {
	mu sync.Mutex
	ch chan struct{}
}

func newBell() *bell {
	return &bell{ch: make(chan struct{})}
}

// Chan returns the channel that the next Ring closes.
func (b *bell) Chan() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

// Ring wakes the waiters.
func (b *bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}

// Node is one replica.
type Node struct {
	fsm  machine
	bell *bell
}

// NewNode returns a replica with an empty table.
func NewNode() *Node {
	return &Node{fsm: newKVMachine(), bell: newBell()}
}

// Run applies the entries in the order in which the log commits them.
func (n *Node) Run(ctx context.Context, committed <-chan Entry) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-committed:
			if !ok {
				return nil
			}
			if err := n.fsm.Apply(e); err != nil {
				return err
			}
			n.bell.Ring()
		}
	}
}

// WaitApplied returns as soon as the entry with that index has been applied.
func (n *Node) WaitApplied(ctx context.Context, index uint64) error {
	for {
		changed := n.bell.Chan()
		if n.fsm.Applied() >= index {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d: %w", index, ctx.Err())
		}
	}
}

// Read returns the value of key as of index or later.
func (n *Node) Read(ctx context.Context, key string, index uint64) (string, bool, error) {
	if err := n.WaitApplied(ctx, index); err != nil {
		return "", false, err
	}
	v, ok := n.fsm.Get(key)
	return v, ok, nil
}

// Status returns the index of the last entry that was applied.
func (n *Node) Status() uint64 {
	return n.fsm.Applied()
}
