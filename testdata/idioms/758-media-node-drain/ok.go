// Package media moves conference calls between mixing nodes.
package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Errors of the cluster.
var (
	ErrDraining = errors.New("media: node is draining")
	ErrStuck    = errors.New("media: node does not get empty")
)

// Conference is a call with several parties.
type Conference struct {
	ID      string
	Parties int
}

// Mover moves a conference to another node.
type Mover interface {
	Announce(ctx context.Context, c Conference) error
	Move(ctx context.Context, c Conference) error
}

// Node mixes conferences.
type Node struct {
	name string
	log  *slog.Logger

	mu       sync.Mutex
	draining bool
	calls    map[string]Conference
}

// NewNode returns a node without calls.
func NewNode(name string, log *slog.Logger) *Node {
	return &Node{name: name, log: log, calls: make(map[string]Conference)}
}

// Admit puts a conference on the node.
func (n *Node) Admit(c Conference) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.draining {
		return fmt.Errorf("%w: %s", ErrDraining, n.name)
	}
	n.calls[c.ID] = c
	return nil
}

// End removes a conference.
func (n *Node) End(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.calls, id)
}

func (n *Node) conferences() []Conference {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]Conference, 0, len(n.calls))
	for _, c := range n.calls {
		out = append(out, c)
	}
	return out
}

func (n *Node) setDraining(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.draining = on
}

// Drainer empties nodes before maintenance.
type Drainer struct {
	mover  Mover
	notice time.Duration
	rounds int
	log    *slog.Logger

	turn sync.Mutex
}

// NewDrainer returns a drainer that warns the parties some time ahead.
func NewDrainer(m Mover, notice time.Duration, rounds int, log *slog.Logger) *Drainer {
	return &Drainer{mover: m, notice: notice, rounds: rounds, log: log}
}

// Drain returns when the node has no conference and gets no new one.
func (d *Drainer) Drain(ctx context.Context, n *Node) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	for _, c := range n.conferences() {
		if err := d.mover.Announce(ctx, c); err != nil {
			d.log.Warn("no announcement", "conference", c.ID, "err", err)
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.notice):
	}

	n.setDraining(true)
	for range d.rounds {
		calls := n.conferences()
		if len(calls) == 0 {
			d.log.Info("node drained", "node", n.name)
			return nil
		}
		d.move(ctx, n, calls)
	}
	n.setDraining(false)
	return fmt.Errorf("%w: %s", ErrStuck, n.name)
}

func (d *Drainer) move(ctx context.Context, n *Node, calls []Conference) {
	for _, c := range calls {
		if err := d.mover.Move(ctx, c); err != nil {
			d.log.Warn("not moved", "conference", c.ID, "err", err)
			continue
		}
		n.End(c.ID)
	}
}
