// Package a copies rows from an operational database to the warehouse.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrRunning    = errors.New("pipeline: already started")
	ErrNotRunning = errors.New("pipeline: not running")
)

// Source reads rows after an offset; Sink writes them.
type Source interface {
	Read(ctx context.Context, after int64) (rows [][]byte, next int64, err error)
}

type Sink interface {
	Write(ctx context.Context, rows [][]byte, next int64) error
	// Offset returns where the last complete write ended.
	Offset(ctx context.Context) (int64, error)
}

type state int

const (
	idle state = iota
	starting
	running
	stopping
)

// Pipeline moves rows from a source to a sink in one background loop.
type Pipeline struct {
	src   Source
	sink  Sink
	every time.Duration

	mu      sync.Mutex
	state   state
	cancel  context.CancelFunc
	done    chan struct{}
	lastErr error
}

// NewPipeline returns a pipeline that polls src at the given interval.
func NewPipeline(src Source, sink Sink, every time.Duration) *Pipeline {
	return &Pipeline{src: src, sink: sink, every: every}
}

// Start resumes copying where the sink left off. A pipeline that has been
// started already is left alone and ErrRunning returned.
func (p *Pipeline) Start(ctx context.Context) error {
	p.mu.Lock()
	if p.state != idle {
		p.mu.Unlock()
		return ErrRunning
	}
	p.state = starting
	p.mu.Unlock()

	offset, err := p.sink.Offset(ctx)

	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.state = idle
		return fmt.Errorf("pipeline: offset: %w", err)
	}
	loopCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	p.state = running
	p.cancel = cancel
	p.done = done
	p.lastErr = nil
	go p.loop(loopCtx, offset, done)
	return nil
}

// Stop ends the loop and waits for it. A pipeline that is still on its way up
// or down counts as not running.
func (p *Pipeline) Stop() error {
	p.mu.Lock()
	if p.state != running {
		p.mu.Unlock()
		return ErrNotRunning
	}
	p.state = stopping
	cancel, done := p.cancel, p.done
	p.mu.Unlock()

	cancel()
	<-done

	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = idle
	return nil
}

// Err returns the error of the last round, for the health page.
func (p *Pipeline) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastErr
}

func (p *Pipeline) loop(ctx context.Context, offset int64, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		next, err := p.round(ctx, offset)
		if err == nil {
			offset = next
		}
		p.mu.Lock()
		p.lastErr = err
		p.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *Pipeline) round(ctx context.Context, offset int64) (int64, error) {
	rows, next, err := p.src.Read(ctx, offset)
	if err != nil || len(rows) == 0 {
		return offset, err
	}
	return next, p.sink.Write(ctx, rows, next)
}
