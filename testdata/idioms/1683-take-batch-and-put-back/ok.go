// Package a uploads the samples of a seismograph in batches.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

// Sample is one reading of the ground motion.
type Sample struct {
	At    time.Time
	Value int32
}

// Uploader sends samples to the observatory.
type Uploader interface {
	Upload(ctx context.Context, batch []Sample) error
}

// Recorder buffers samples until the next upload.
type Recorder struct {
	up     Uploader
	every  time.Duration
	cancel context.CancelFunc
	exited chan struct{}

	mu      sync.Mutex
	pending []Sample
}

// NewRecorder starts a recorder. Close stops it.
func NewRecorder(up Uploader, every time.Duration) *Recorder {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{up: up, every: every, cancel: cancel, exited: make(chan struct{})}
	go r.run(ctx)
	return r
}

// Record adds a sample.
func (r *Recorder) Record(s Sample) {
	r.mu.Lock()
	r.pending = append(r.pending, s)
	r.mu.Unlock()
}

func (r *Recorder) take() []Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.pending
	r.pending = nil
	return batch
}

func (r *Recorder) putBack(batch []Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(batch, r.pending...)
}

// flush is called by run alone.
func (r *Recorder) flush(ctx context.Context) error {
	batch := r.take()
	if len(batch) == 0 {
		return nil
	}
	if err := r.up.Upload(ctx, batch); err != nil {
		r.putBack(batch)
		return err
	}
	return nil
}

func (r *Recorder) run(ctx context.Context) {
	defer close(r.exited)
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := r.flush(ctx); err != nil && !errors.Is(err, context.Canceled) {
				log.Printf("upload: %v", err)
			}
		}
	}
}

// Close stops the uploads and returns the samples that were not sent.
func (r *Recorder) Close() []Sample {
	r.cancel()
	<-r.exited
	return r.take()
}
