package flusher

import (
	"sync"
	"sync/atomic"
)

// Sink stores a batch of lines.
type Sink interface{ Write(lines []string) error }

// Flusher writes lines in the background; it sleeps while there are none.
type Flusher struct {
	bufMu  sync.Mutex
	buf    []string
	asleep atomic.Bool
	wake   chan struct{}
	sink   Sink
	broken atomic.Int32
}

func New(sink Sink) *Flusher {
	f := &Flusher{wake: make(chan struct{}, 1), sink: sink}
	go f.loop()
	return f
}

// Add appends one line and wakes the writer if it sleeps.
func (f *Flusher) Add(line string) {
	f.bufMu.Lock()
	f.buf = append(f.buf, line)
	f.bufMu.Unlock()
	if f.asleep.CompareAndSwap(true, false) {
		f.wake <- struct{}{}
	}
}

func (f *Flusher) swap() (batch []string) {
	f.bufMu.Lock()
	defer f.bufMu.Unlock()
	batch, f.buf = f.buf, nil
	return batch
}

func (f *Flusher) loop() {
	for {
		batch := f.swap()
		if len(batch) == 0 {
			f.asleep.Store(true)
			<-f.wake
			continue
		}
		if f.sink.Write(batch) != nil {
			f.broken.Add(1)
		}
	}
}

// Failures counts the batches the sink refused.
func (f *Flusher) Failures() int32 { return f.broken.Load() }
