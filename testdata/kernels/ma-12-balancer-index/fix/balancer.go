// Package balance spreads the calls of a client over the nodes of a service.
package balance

import (
	"context"
	"errors"
	"log"
	"sync/atomic"
	"time"
)

// ErrNoNodes is returned while all nodes are down.
var ErrNoNodes = errors.New("balance: no healthy nodes")

// Node is one server.
type Node struct {
	Addr string
	Zone string
}

// Check tells if a node works.
type Check func(ctx context.Context, n Node) error

// Balancer hands out healthy nodes in turn.
type Balancer struct {
	all     []Node
	healthy List[Node]
	seq     atomic.Uint64
	check   Check
}

// New returns a balancer that takes all nodes as healthy at first.
func New(nodes []Node, check Check) *Balancer {
	b := &Balancer{all: append([]Node(nil), nodes...), check: check}
	for _, n := range b.all {
		b.healthy.Add(n)
	}
	return b
}

// Next returns the node for the next call.
func (b *Balancer) Next() (Node, error) {
	n, ok := b.healthy.Pick(b.seq.Add(1))
	if !ok {
		return Node{}, ErrNoNodes
	}
	return n, nil
}

// Healthy returns how many nodes get calls.
func (b *Balancer) Healthy() int { return b.healthy.Len() }

func (b *Balancer) probe(ctx context.Context, n Node) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := b.check(ctx, n); err != nil {
		if b.healthy.Remove(n) {
			log.Printf("balance: %s is down: %v", n.Addr, err)
		}
		return
	}
	if b.healthy.Add(n) {
		log.Printf("balance: %s is up", n.Addr)
	}
}

// Run probes all nodes at an interval until ctx ends.
func (b *Balancer) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			for _, n := range b.all {
				b.probe(ctx, n)
			}
		}
	}
}

// Call runs fn against up to attempts nodes.
func (b *Balancer) Call(ctx context.Context, attempts int, fn func(context.Context, Node) error) error {
	var errs []error
	for range attempts {
		n, err := b.Next()
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if err = fn(ctx, n); err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
