// Package topology administers the nodes of a storage cluster.
package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	ErrExists  = errors.New("topology: node exists")
	ErrUnknown = errors.New("topology: unknown node")
	ErrQuorum  = errors.New("topology: too few nodes would remain")
)

// Agent carries out changes on nodes.
type Agent interface {
	Join(ctx context.Context, node string, peers []string) error
	Drain(ctx context.Context, node string) error
}

// View is an immutable description of the cluster.
type View struct {
	Epoch uint64
	Nodes []string
}

// Admin changes the topology. Views may be read while a change, which can
// take minutes, is under way.
type Admin struct {
	agent    Agent
	minNodes int

	changeMu sync.Mutex // held for the whole of a change

	mu   sync.RWMutex
	view View
	subs []chan View
}

// NewAdmin returns an admin of the given nodes.
func NewAdmin(agent Agent, minNodes int, nodes []string) *Admin {
	return &Admin{
		agent:    agent,
		minNodes: minNodes,
		view:     View{Epoch: 1, Nodes: slices.Clone(nodes)},
	}
}

// View returns the current topology.
func (a *Admin) View() View {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.view
}

// Subscribe returns a channel that holds the latest view.
func (a *Admin) Subscribe() <-chan View {
	ch := make(chan View, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	ch <- a.view
	a.subs = append(a.subs, ch)
	return ch
}

// Add joins node to the cluster.
func (a *Admin) Add(ctx context.Context, node string) error {
	a.changeMu.Lock()
	defer a.changeMu.Unlock()

	cur := a.View()
	if slices.Contains(cur.Nodes, node) {
		return ErrExists
	}
	if err := a.agent.Join(ctx, node, cur.Nodes); err != nil {
		return fmt.Errorf("topology: join %s: %w", node, err)
	}
	a.install(append(slices.Clone(cur.Nodes), node))
	return nil
}

// Remove drains node and takes it out of the cluster.
func (a *Admin) Remove(ctx context.Context, node string) error {
	a.changeMu.Lock()
	defer a.changeMu.Unlock()

	cur := a.View()
	i := slices.Index(cur.Nodes, node)
	if i < 0 {
		return ErrUnknown
	}
	if len(cur.Nodes) <= a.minNodes {
		return ErrQuorum
	}
	if err := a.agent.Drain(ctx, node); err != nil {
		return fmt.Errorf("topology: drain %s: %w", node, err)
	}
	a.install(slices.Delete(slices.Clone(cur.Nodes), i, i+1))
	return nil
}

// install publishes a new node list. The caller holds changeMu.
func (a *Admin) install(nodes []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.view = View{Epoch: a.view.Epoch + 1, Nodes: nodes}
	for _, ch := range a.subs {
		select {
		case <-ch:
		default:
		}
		ch <- a.view
	}
}
