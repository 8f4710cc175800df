// Package batch collects spans of a tracing agent into batches and sends them
// to a collector.
package batch

import (
	"context"
	"errors"
	"hash/crc32"
	"log"
	"sync"
	"time"
)

// ErrClosed is returned by Add after Close.
var ErrClosed = errors.New("batch: closed")

// Batch is a group of encoded spans. The collector orders batches by their
// sequence number, they may arrive in any order.
type Batch struct {
	Seq   uint64
	Data  []byte
	Spans int
	CRC   uint32
}

// Sender sends a batch to the collector. It does not keep it.
type Sender interface {
	Send(ctx context.Context, b *Batch) error
}

// Batcher collects spans. It is safe for concurrent use.
type Batcher struct {
	sender Sender
	size   int
	full   chan *Batch
	free   chan *Batch
	stop   chan struct{}
	loops  sync.WaitGroup

	mu      sync.Mutex
	current *Batch // nil when it is empty
	seq     uint64
	closed  bool
	handing sync.WaitGroup // batches on their way into full
}

// New returns a batcher that sends batches of about size bytes, and smaller
// ones after the given time.
func New(s Sender, size int, every time.Duration) *Batcher {
	b := &Batcher{
		sender: s,
		size:   size,
		full:   make(chan *Batch, 4),
		free:   make(chan *Batch, 8),
		stop:   make(chan struct{}),
	}
	b.loops.Add(2)
	go b.sendLoop()
	go b.flushLoop(every)
	return b
}

// fresh returns an empty batch. The caller holds b.mu.
func (b *Batcher) fresh() *Batch {
	var n *Batch
	select {
	case n = <-b.free:
	default:
		n = &Batch{Data: make([]byte, 0, b.size)}
	}
	b.seq++
	n.Seq = b.seq
	return n
}

// detach takes the current batch out of the batcher; the caller has to hand
// it over. The caller holds b.mu.
func (b *Batcher) detach() *Batch {
	out := b.current
	b.current = nil
	if out != nil {
		b.handing.Add(1)
	}
	return out
}

// hand passes a detached batch to the sender.
func (b *Batcher) hand(out *Batch) {
	if out == nil {
		return
	}
	defer b.handing.Done()
	out.CRC = crc32.ChecksumIEEE(out.Data)
	b.full <- out
}

// Add adds an encoded span to the current batch. It blocks while the sender
// is too slow.
func (b *Batcher) Add(span []byte) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	if b.current == nil {
		b.current = b.fresh()
	}
	b.current.Data = append(b.current.Data, span...)
	b.current.Spans++
	var out *Batch
	if len(b.current.Data) >= b.size {
		out = b.detach()
	}
	b.mu.Unlock()
	b.hand(out)
	return nil
}

// Flush sends the current batch.
func (b *Batcher) Flush() {
	b.mu.Lock()
	out := b.detach()
	b.mu.Unlock()
	b.hand(out)
}

func (b *Batcher) flushLoop(every time.Duration) {
	defer b.loops.Done()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.Flush()
		}
	}
}

func (b *Batcher) sendLoop() {
	defer b.loops.Done()
	for out := range b.full {
		if err := b.sender.Send(context.Background(), out); err != nil {
			log.Printf("batch: %d: lost %d spans: %v", out.Seq, out.Spans, err)
		}
		*out = Batch{Data: out.Data[:0]}
		select {
		case b.free <- out:
		default:
		}
	}
}

// Close sends what is left and ends the batcher.
func (b *Batcher) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.closed = true
	out := b.detach()
	b.mu.Unlock()

	close(b.stop)
	b.hand(out)
	b.handing.Wait()
	close(b.full)
	b.loops.Wait()
	return nil
}
