// Package a collects the barcodes that hand scanners read in a warehouse.
package a

import (
	"context"
	"errors"
	"fmt"
	"log"
)

// Scan is one barcode read by a scanner.
type Scan struct {
	Scanner int
	Code    string
}

// Sink stores scans, many at a time.
type Sink interface {
	Write(ctx context.Context, scans []Scan) error
}

const maxBatch = 100

// Collector passes scans on in batches. Its goroutine is the only one that
// receives from the queue.
type Collector struct {
	sink  Sink
	queue chan Scan
	done  chan struct{}
}

// ErrBacklog is returned when the queue is full.
var ErrBacklog = errors.New("too many scans queued")

// NewCollector starts a collector that runs until ctx is done.
func NewCollector(ctx context.Context, sink Sink, depth int) *Collector {
	c := &Collector{sink: sink, queue: make(chan Scan, depth), done: make(chan struct{})}
	go c.run(ctx)
	return c
}

// Submit queues a scan without waiting.
func (c *Collector) Submit(s Scan) error {
	if s.Code == "" {
		return fmt.Errorf("scanner %d: empty code", s.Scanner)
	}
	select {
	case c.queue <- s:
		return nil
	default:
		return ErrBacklog
	}
}

// Backlog is the number of queued scans, for the dashboard.
func (c *Collector) Backlog() int { return len(c.queue) }

func (c *Collector) run(ctx context.Context) {
	defer close(c.done)
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-c.queue:
			batch := c.gather(first)
			if err := c.sink.Write(ctx, batch); err != nil {
				log.Printf("%d scans not stored: %v", len(batch), err)
			}
		}
	}
}

// gather adds what is queued to the first scan. It must not wait.
func (c *Collector) gather(first Scan) []Scan {
	batch := append(make([]Scan, 0, maxBatch), first)
	for len(batch) < maxBatch && len(c.queue) > 0 {
		batch = append(batch, <-c.queue)
	}
	return batch
}

// Wait blocks until the collector has ended.
func (c *Collector) Wait() { <-c.done }
