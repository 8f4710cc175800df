// Package a assigns the partitions of a topic to the members of a consumer
// group.
package a

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

var (
	ErrStopped  = errors.New("group coordinator stopped")
	ErrMember   = errors.New("unknown member")
	ErrIsMember = errors.New("already a member")
)

// Assignment is one generation. It is immutable.
type Assignment struct {
	Generation int
	Members    []string
	Owner      []string // by partition; "" if there is no member
}

// Of returns the partitions of a member.
func (a *Assignment) Of(member string) []int {
	var out []int
	for p, m := range a.Owner {
		if m == member {
			out = append(out, p)
		}
	}
	return out
}

type request struct {
	run   func() error
	reply chan error
}

// Coordinator carries out the requests one by one on a goroutine of its own;
// no other goroutine replaces the assignment.
type Coordinator struct {
	partitions int
	current    atomic.Pointer[Assignment]
	requests   chan request
	stop       chan struct{}
	stopOnce   sync.Once
	stopped    chan struct{}
}

// NewCoordinator starts a coordinator without members.
func NewCoordinator(partitions int) *Coordinator {
	c := &Coordinator{
		partitions: partitions,
		requests:   make(chan request),
		stop:       make(chan struct{}),
		stopped:    make(chan struct{}),
	}
	c.current.Store(&Assignment{Owner: make([]string, partitions)})
	go c.loop()
	return c
}

func (c *Coordinator) loop() {
	defer close(c.stopped)
	for {
		select {
		case <-c.stop:
			return
		case r := <-c.requests:
			r.reply <- r.run()
		}
	}
}

// do has the loop run fn. A request that the loop has received is answered.
func (c *Coordinator) do(fn func() error) error {
	r := request{run: fn, reply: make(chan error, 1)}
	select {
	case c.requests <- r:
		return <-r.reply
	case <-c.stopped:
		return ErrStopped
	}
}

// Join adds a member.
func (c *Coordinator) Join(member string) error {
	return c.do(func() error {
		if slices.Contains(c.current.Load().Members, member) {
			return ErrIsMember
		}
		members := slices.Clone(c.current.Load().Members)
		c.rebalance(append(members, member))
		return nil
	})
}

// Leave removes a member.
func (c *Coordinator) Leave(member string) error {
	return c.do(func() error {
		i := slices.Index(c.current.Load().Members, member)
		if i < 0 {
			return ErrMember
		}
		members := slices.Clone(c.current.Load().Members)
		c.rebalance(slices.Delete(members, i, i+1))
		return nil
	})
}

// rebalance runs on the loop. It spreads the partitions over the members.
func (c *Coordinator) rebalance(members []string) {
	slices.Sort(members)
	next := &Assignment{
		Generation: c.current.Load().Generation + 1,
		Members:    members,
		Owner:      make([]string, c.partitions),
	}
	if len(members) > 0 {
		for p := range next.Owner {
			next.Owner[p] = members[p%len(members)]
		}
	}
	c.current.Store(next)
}

// Current returns the generation in force; members poll it and follow.
func (c *Coordinator) Current() *Assignment {
	return c.current.Load()
}

// Stop ends the loop and waits for it.
func (c *Coordinator) Stop() {
	c.stopOnce.Do(func() { close(c.stop) })
	<-c.stopped
}
