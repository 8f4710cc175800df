// Package membership tracks who may vote and when an entry is committed.
package membership

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ChangeKind says what happens to a node.
type ChangeKind int

const (
	AddVoter ChangeKind = iota
	RemoveVoter
)

// Change is a membership entry of the log.
type Change struct {
	Kind ChangeKind
	Node string
}

// ErrUnknown is returned for nodes that are no voters.
var ErrUnknown = errors.New("membership: unknown voter")

type view struct {
	voters map[string]bool
	quorum int
	acks   map[uint64]map[string]bool
	commit uint64
}

// Cluster is the leader's idea of the group.
type Cluster struct {
	guard *sync.Mutex
	v     view
}

// New starts with the given voters.
func New(voters ...string) *Cluster {
	c := &Cluster{guard: new(sync.Mutex)}
	c.v.voters = make(map[string]bool, len(voters))
	for _, n := range voters {
		c.v.voters[n] = true
	}
	c.v.quorum = len(voters)/2 + 1
	c.v.acks = make(map[uint64]map[string]bool)
	return c
}

func (c *Cluster) update(f func(v *view) error) error {
	c.guard.Lock()
	defer c.guard.Unlock()
	return f(&c.v)
}

func (v *view) addVoter(node string) error {
	v.voters[node] = true
	return nil
}

func (v *view) removeVoter(node string) error {
	if !v.voters[node] {
		return fmt.Errorf("%w: %s", ErrUnknown, node)
	}
	delete(v.voters, node)
	return nil
}

func (v *view) resize() error {
	v.quorum = len(v.voters)/2 + 1
	return nil
}

// Apply carries out a committed membership change.
func (c *Cluster) Apply(ch Change) error {
	return c.update(func(v *view) error {
		step := v.addVoter
		if ch.Kind == RemoveVoter {
			step = v.removeVoter
		}
		if err := step(ch.Node); err != nil {
			return err
		}
		return v.resize()
	})
}

// Ack counts the acknowledgement of an entry and returns the commit index.
func (c *Cluster) Ack(node string, index uint64) (uint64, error) {
	var commit uint64
	err := c.update(func(v *view) error {
		if !v.voters[node] {
			return fmt.Errorf("%w: %s", ErrUnknown, node)
		}
		if index <= v.commit {
			commit = v.commit
			return nil
		}
		set := v.acks[index]
		if set == nil {
			set = make(map[string]bool)
			v.acks[index] = set
		}
		set[node] = true
		n := 0
		for voter := range v.voters {
			if set[voter] {
				n++
			}
		}
		if n >= v.quorum {
			v.commit = index
			for i := range v.acks {
				if i <= index {
					delete(v.acks, i)
				}
			}
		}
		commit = v.commit
		return nil
	})
	return commit, err
}

// Run applies the changes that the log hands over, while Ack runs on the transport's goroutines.
func (c *Cluster) Run(ctx context.Context, changes <-chan Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case ch, ok := <-changes:
			if !ok {
				return
			}
			if err := c.Apply(ch); err != nil {
				slog.Error("membership change", "node", ch.Node, "err", err)
			}
		}
	}
}
