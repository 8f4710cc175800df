// Package partition lets one node at a time own a partition of a job table.
// The owner takes jobs and can hand the partition over to another node, which
// must have got all jobs first.
package partition

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNotOwner   = errors.New("partition: not the owner")
	ErrHandover   = errors.New("partition: a handover is in progress")
	ErrTimeout    = errors.New("partition: handover timed out")
	ErrUnknown    = errors.New("partition: unknown node")
	ErrOwnerEnded = errors.New("partition: ownership has ended")
)

// Node is another node.
type Node interface {
	// Copy gives the node the jobs from the index from on, and returns the
	// index of the first job that it does not have.
	Copy(ctx context.Context, from int, jobs []string) (int, error)
	// TakeOver asks the node to claim the partition. It returns when the node
	// has begun; after an error it has not, and will not. Some time later the
	// old owner is told by Revoke; if the claim fails it is not told. The claim
	// fails if another node, or the old owner, has more jobs.
	TakeOver(ctx context.Context) error
}

type job struct {
	text string
	done chan error
}

type handover struct {
	to   string
	done chan error
}

// Owner is a node's ownership of a partition, from the claim to the end.
type Owner struct {
	nodes        map[string]*follower
	claimTimeout time.Duration

	submitC   chan *job
	handoverC chan *handover
	revokeC   chan struct{}
	revoke    sync.Once
	left      chan struct{} // closed when the loop has ended

	// handingOver is true while no jobs may be taken.
	handingOver atomic.Bool

	mu   sync.RWMutex
	jobs []string
}

// follower is what the owner knows of another node.
type follower struct {
	node Node

	mu   sync.Mutex
	next int // the first job that the node does not have
}

// NewOwner starts the ownership. claimTimeout is longer than a claim takes.
func NewOwner(nodes map[string]Node, claimTimeout time.Duration) *Owner {
	o := &Owner{
		nodes:        make(map[string]*follower),
		claimTimeout: claimTimeout,
		submitC:      make(chan *job),
		handoverC:    make(chan *handover),
		revokeC:      make(chan struct{}),
		left:         make(chan struct{}),
	}
	for name, n := range nodes {
		o.nodes[name] = &follower{node: n}
	}
	go o.loop()
	return o
}

// Submit adds a job.
func (o *Owner) Submit(ctx context.Context, text string) error {
	j := &job{text: text, done: make(chan error, 1)}
	select {
	case o.submitC <- j:
		return <-j.done
	case <-o.left:
		return ErrNotOwner
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Handover gives the partition to another node. It returns nil when this node
// does not own it any more, or is about to lose it.
func (o *Owner) Handover(ctx context.Context, to string) error {
	h := &handover{to: to, done: make(chan error, 1)}
	select {
	case o.handoverC <- h:
	case <-o.left:
		return ErrNotOwner
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-h.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Revoke ends the ownership because another node has claimed the partition.
func (o *Owner) Revoke() {
	o.revoke.Do(func() { close(o.revokeC) })
}

// loop owns the partition until it is revoked.
func (o *Owner) loop() {
	defer close(o.left)
	for {
		select {
		case <-o.revokeC:
			return

		case j := <-o.submitC:
			if o.handingOver.Load() {
				j.done <- ErrHandover
				continue
			}
			o.add(j.text)
			j.done <- nil

		case h := <-o.handoverC:
			if o.handingOver.Load() {
				h.done <- ErrHandover
				continue
			}
			f, ok := o.nodes[h.to]
			if !ok {
				h.done <- ErrUnknown
				continue
			}
			o.handingOver.Store(true)
			ctx, cancel := context.WithCancel(context.Background())
			result := make(chan error, 1)
			go func() { result <- o.transfer(ctx, f) }()
			go o.superviseHandover(h, cancel, result)
		}
	}
}

// superviseHandover waits for the end of a transfer.
func (o *Owner) superviseHandover(h *handover, cancel context.CancelFunc, result <-chan error) {
	defer o.handingOver.Store(false)
	defer cancel()

	t := time.NewTimer(o.claimTimeout)
	defer t.Stop()
	select {
	case <-t.C:
		cancel()
		h.done <- ErrTimeout
		<-result
	case <-o.left:
		// That is what the handover is for.
		cancel()
		h.done <- nil
		<-result
	case err := <-result:
		h.done <- err
	}
}

// transfer copies the missing jobs to a node and asks it to take over.
func (o *Owner) transfer(ctx context.Context, f *follower) error {
	for {
		behind, err := o.copyTo(ctx, f)
		if err != nil {
			return err
		}
		if !behind {
			break
		}
	}
	return f.node.TakeOver(ctx)
}

// copyTo gives a node the jobs that it does not have, and tells whether there
// are more in the meantime.
func (o *Owner) copyTo(ctx context.Context, f *follower) (behind bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next, err := f.node.Copy(ctx, f.next, o.from(f.next))
	if err != nil {
		return false, err
	}
	f.next = next
	return f.next < o.Len(), nil
}

func (o *Owner) add(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.jobs = append(o.jobs, text)
}

// from returns a copy of the jobs from the index i on.
func (o *Owner) from(i int) []string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return append([]string(nil), o.jobs[i:]...)
}

// Len returns the number of jobs.
func (o *Owner) Len() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return len(o.jobs)
}

// Sync copies the missing jobs to all nodes.
func (o *Owner) Sync(ctx context.Context) error {
	select {
	case <-o.left:
		return ErrOwnerEnded
	default:
	}
	var errs []error
	for _, f := range o.nodes {
		if _, err := o.copyTo(ctx, f); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
