// Package fix buffers samples in shards and writes them out in blocks.
package fix

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"
)

var ErrStopped = errors.New("ingest: stopped")

// Sample is one measured value.
type Sample struct {
	Series string
	At     time.Time
	Value  float64
}

// Store writes blocks durably.
type Store interface {
	WriteBlock(ctx context.Context, samples []Sample) error
}

type shard struct {
	mu      sync.Mutex
	head    []Sample
	stopped bool
}

func (s *shard) append(v Sample) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return 0, ErrStopped
	}
	s.head = append(s.head, v)
	return len(s.head), nil
}

func (s *shard) cut() []Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := s.head
	s.head = nil
	return head
}

func (s *shard) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

// Ingester spreads series over shards.
type Ingester struct {
	seed   maphash.Seed
	shards []*shard
	store  Store
	limit  int
	full   chan *shard
}

func New(store Store, shards, limit int) *Ingester {
	i := &Ingester{seed: maphash.MakeSeed(), store: store, limit: limit, full: make(chan *shard, shards)}
	for range shards {
		i.shards = append(i.shards, &shard{})
	}
	return i
}

// Push takes a sample in. Without an error it will be in a block.
func (i *Ingester) Push(v Sample) error {
	s := i.shards[maphash.String(i.seed, v.Series)%uint64(len(i.shards))]
	n, err := s.append(v)
	if err != nil {
		return err
	}
	if n >= i.limit {
		select {
		case i.full <- s:
		default:
		}
	}
	return nil
}

func (i *Ingester) write(ctx context.Context, samples []Sample) error {
	if len(samples) == 0 {
		return nil
	}
	var err error
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		if err = i.store.WriteBlock(ctx, samples); err == nil {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// Run cuts full shards, and all of them now and then.
func (i *Ingester) Run(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case s := <-i.full:
			if err := i.write(context.WithoutCancel(ctx), s.cut()); err != nil {
				return err
			}
		case <-t.C:
			for _, s := range i.shards {
				if err := i.write(context.WithoutCancel(ctx), s.cut()); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// Shutdown is called after Run has returned, while clients may still push.
func (i *Ingester) Shutdown(ctx context.Context) error {
	var errs []error
	for _, s := range i.shards {
		s.stop()
		if err := i.write(ctx, s.cut()); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
