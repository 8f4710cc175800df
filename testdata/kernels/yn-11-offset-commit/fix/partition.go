// Package fix consumes a partition with several workers and commits offsets.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Record is a message of the partition.
type Record struct {
	Offset int64
	Value  []byte
}

// Handler works on a record. An error stops the partition.
type Handler func(ctx context.Context, r Record) error

// window knows which offsets are being worked on. All below low are done.
type window struct {
	mu   sync.Mutex
	low  int64
	next int64
	done map[int64]bool
}

func (w *window) begin(off int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if off != w.next {
		return fmt.Errorf("window: got offset %d, want %d", off, w.next)
	}
	w.next++
	return nil
}

func (w *window) finish(off int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[off] = true
	for w.done[w.low] {
		delete(w.done, w.low)
		w.low++
	}
}

func (w *window) floor() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.low
}

// Partition is one partition of a topic.
type Partition struct {
	name    string
	handle  Handler
	offsets OffsetStore
	window  window
	commit  sync.Mutex // held from reading the floor until it is saved

	work    chan Record
	workers sync.WaitGroup

	mu  sync.Mutex
	err error
}

// Open starts workers that go on from the committed offset.
func Open(ctx context.Context, name string, n int, offsets OffsetStore, h Handler) (*Partition, error) {
	from, err := offsets.Load(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	p := &Partition{
		name:    name,
		handle:  h,
		offsets: offsets,
		window:  window{low: from, next: from, done: make(map[int64]bool)},
		work:    make(chan Record),
	}
	for range n {
		p.workers.Add(1)
		go p.loop(ctx)
	}
	return p, nil
}

// Feed hands on the next record. It and Close are called by one goroutine.
func (p *Partition) Feed(ctx context.Context, r Record) error {
	if err := p.failure(); err != nil {
		return err
	}
	if err := p.window.begin(r.Offset); err != nil {
		return err
	}
	select {
	case p.work <- r:
		return nil
	case <-ctx.Done():
		p.fail(ctx.Err())
		return ctx.Err()
	}
}

func (p *Partition) loop(ctx context.Context) {
	defer p.workers.Done()
	for r := range p.work {
		if err := p.handle(ctx, r); err != nil {
			p.fail(fmt.Errorf("offset %d: %w", r.Offset, err))
			continue
		}
		if err := p.ack(r.Offset); err != nil {
			p.fail(err)
		}
	}
}

// ack marks an offset as done and commits how far the partition is done.
func (p *Partition) ack(off int64) error {
	p.window.finish(off)
	p.commit.Lock()
	defer p.commit.Unlock()
	low := p.window.floor()
	return p.offsets.Save(p.name, low)
}

func (p *Partition) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = errors.Join(p.err, err)
}

func (p *Partition) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close waits for the workers. Unless it returns an error, the offset that is
// committed afterwards lies behind the last record.
func (p *Partition) Close() error {
	close(p.work)
	p.workers.Wait()
	return p.failure()
}
