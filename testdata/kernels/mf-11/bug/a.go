// Package a collects metric samples and ships them in batches.
package a

import (
	"sync"
	"time"
)

// Sample is one measurement.
type Sample struct {
	Metric string
	Time   time.Time
	Value  float64
}

// Client sends a batch; it must not keep the slice.
type Client interface {
	Push(batch []Sample) error
}

// sampleBuffer gathers samples between two flushes.
type sampleBuffer struct {
	mu      sync.Mutex
	samples []Sample
}

func (b *sampleBuffer) add(s ...Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.samples = append(b.samples, s...)
}

// peek returns a copy of the buffered samples.
func (b *sampleBuffer) peek() []Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Sample(nil), b.samples...)
}

// discard forgets the samples that were delivered.
func (b *sampleBuffer) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.samples = b.samples[:0]
}

// Output ships samples periodically.
type Output struct {
	client Client
	buf    sampleBuffer

	flushMu sync.Mutex // one flush at a time
	failed  int        // consecutive failures, protected by flushMu

	stop chan struct{}
	done chan struct{}
	once sync.Once
}

func NewOutput(client Client, period time.Duration) *Output {
	o := &Output{
		client: client,
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go o.loop(period)
	return o
}

// AddSamples is called by every virtual user.
func (o *Output) AddSamples(s ...Sample) { o.buf.add(s...) }

// Flush ships what is buffered. Samples of a failed batch stay in the
// buffer and are part of the next one.
func (o *Output) Flush() error {
	o.flushMu.Lock()
	defer o.flushMu.Unlock()

	batch := o.buf.peek()
	if len(batch) == 0 {
		return nil
	}
	if err := o.client.Push(batch); err != nil {
		o.failed++
		return err
	}
	o.failed = 0
	o.buf.discard()
	return nil
}

func (o *Output) loop(period time.Duration) {
	defer close(o.done)
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = o.Flush()
		case <-o.stop:
			return
		}
	}
}

// Stop ends the loop and ships the rest.
func (o *Output) Stop() error {
	o.once.Do(func() { close(o.stop) })
	<-o.done
	return o.Flush()
}
