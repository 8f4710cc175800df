// Package ok lets clients wait for the cluster to have a leader.
package ok

import (
	"context"
	"sync"
)

// Leader is a node and the term it was elected in.
type Leader struct {
	Node string
	Term uint64
}

// election knows the leader and who waits for one.
type election struct {
	mu      sync.Mutex
	leader  Leader
	waiters map[chan struct{}]struct{}
}

func (e *election) get() (Leader, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader, e.leader.Node != ""
}

func (e *election) set(l Leader) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.Term < e.leader.Term {
		return false
	}
	e.leader = l
	if l.Node != "" {
		for w := range e.waiters {
			close(w)
		}
		clear(e.waiters)
	}
	return true
}

func (e *election) join() chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := make(chan struct{})
	e.waiters[w] = struct{}{}
	return w
}

func (e *election) leave(w chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.waiters, w)
}

// Cluster is a client's view of the cluster.
type Cluster struct {
	election *election
	slow     func()
}

// NewCluster calls slow when a client has to wait.
func NewCluster(slow func()) *Cluster {
	return &Cluster{
		election: &election{waiters: make(map[chan struct{}]struct{})},
		slow:     slow,
	}
}

// Elected takes note of a leader. One of an older term is ignored.
func (c *Cluster) Elected(node string, term uint64) bool {
	return c.election.set(Leader{Node: node, Term: term})
}

// Lost takes note that the leader of a term is gone.
func (c *Cluster) Lost(term uint64) bool {
	return c.election.set(Leader{Term: term})
}

// Leader returns the leader; it waits for one if there is none.
func (c *Cluster) Leader(ctx context.Context) (Leader, error) {
	if l, ok := c.election.get(); ok {
		return l, nil
	}
	c.slow()
	for {
		l, ok, err := c.await(ctx)
		if ok || err != nil {
			return l, err
		}
	}
}

// await waits for one change. A leader that came before it had joined the
// waiters is found by the look it takes afterwards.
func (c *Cluster) await(ctx context.Context) (Leader, bool, error) {
	w := c.election.join()
	defer c.election.leave(w)
	if l, ok := c.election.get(); ok {
		return l, true, nil
	}
	select {
	case <-w:
		l, ok := c.election.get()
		return l, ok, nil
	case <-ctx.Done():
		return Leader{}, false, ctx.Err()
	}
}
