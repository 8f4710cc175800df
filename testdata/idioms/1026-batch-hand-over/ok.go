// Package producer collects records and sends them in batches.
package producer

import (
	"errors"
	"log"
	"sync"
	"time"
)

var (
	ErrClosed = errors.New("producer: closed")
	ErrFull   = errors.New("producer: buffer is full")
)

// Sender transmits a batch, all of it or nothing. It must not keep the slice.
type Sender interface {
	Send(batch [][]byte) error
}

// Producer is safe for concurrent use.
type Producer struct {
	sender   Sender
	maxBytes int
	quit     chan struct{}
	done     chan struct{}

	flushMu sync.Mutex // one flush at a time, batches leave in order

	mu     sync.Mutex
	buf    [][]byte
	bytes  int // of buf and of the batch that is being sent
	closed bool
}

// New starts a flusher that sends every interval.
func New(s Sender, maxBytes int, interval time.Duration) *Producer {
	p := &Producer{
		sender:   s,
		maxBytes: maxBytes,
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go p.loop(interval)
	return p
}

// Produce adds a record. The record must not be changed afterwards.
func (p *Producer) Produce(rec []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if p.bytes+len(rec) > p.maxBytes {
		return ErrFull
	}
	p.buf = append(p.buf, rec)
	p.bytes += len(rec)
	return nil
}

func (p *Producer) take() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch := p.buf
	p.buf = nil
	return batch
}

// Flush sends what is buffered. After an error the records are sent by the
// next Flush.
func (p *Producer) Flush() error {
	p.flushMu.Lock()
	defer p.flushMu.Unlock()
	batch := p.take()
	if len(batch) == 0 {
		return nil
	}
	err := p.sender.Send(batch)

	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.buf = append(batch, p.buf...)
		return err
	}
	for _, rec := range batch {
		p.bytes -= len(rec)
	}
	return nil
}

func (p *Producer) loop(interval time.Duration) {
	defer close(p.done)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-t.C:
			if err := p.Flush(); err != nil {
				log.Printf("producer: flush: %v", err)
			}
		}
	}
}

// Close refuses new records and sends the rest.
func (p *Producer) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.closed = true
	p.mu.Unlock()
	close(p.quit)
	<-p.done
	return p.Flush()
}
