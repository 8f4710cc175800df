// Package pipeline runs metric samples through a fixed sequence of stages.
package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// ErrStarted is returned for changes after the start.
var ErrStarted = errors.New("pipeline: already started")

// Sample is one measurement.
type Sample struct {
	Name  string
	Value float64
	Tags  map[string]string
}

// Stage transforms a sample or drops it. It must be safe for concurrent use.
type Stage interface {
	Process(s Sample) (out Sample, keep bool)
}

// StageFunc is a function that is a Stage.
type StageFunc func(Sample) (Sample, bool)

// Process implements Stage.
func (f StageFunc) Process(s Sample) (Sample, bool) { return f(s) }

// Pipeline is a sequence of stages in front of a sink.
type Pipeline struct {
	in   chan Sample
	sink func(Sample)

	mu      sync.RWMutex
	started bool
	names   []string
	stages  []Stage
}

// New returns a pipeline with the given queue length.
func New(queue int, sink func(Sample)) *Pipeline {
	return &Pipeline{in: make(chan Sample, queue), sink: sink}
}

// Use appends a stage. Plugins call it from their init hooks.
func (p *Pipeline) Use(name string, s Stage) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return ErrStarted
	}
	p.names = append(p.names, name)
	p.stages = append(p.stages, s)
	return nil
}

// Start launches the workers; they end with ctx.
func (p *Pipeline) Start(ctx context.Context, workers int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return ErrStarted
	}
	p.started = true
	for range workers {
		go p.work(ctx)
	}
	return nil
}

// Len returns the number of stages.
func (p *Pipeline) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.stages)
}

// Stage returns the i-th stage and its name.
func (p *Pipeline) Stage(i int) (string, Stage) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.names[i], p.stages[i]
}

// Submit queues a sample; it blocks while the queue is full.
func (p *Pipeline) Submit(ctx context.Context, s Sample) error {
	select {
	case p.in <- s:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Pipeline) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-p.in:
			if out, ok := p.run(s); ok {
				p.sink(out)
			}
		}
	}
}

func (p *Pipeline) run(s Sample) (Sample, bool) {
	n := p.Len()
	for i := 0; i < n; i++ {
		name, st := p.Stage(i)
		out, keep := st.Process(s)
		if !keep {
			slog.Debug("sample dropped", "name", s.Name, "stage", name)
			return Sample{}, false
		}
		s = out
	}
	return s, true
}
