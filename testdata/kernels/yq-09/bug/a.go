package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrBusy tells the caller to leave the message for later.
var ErrBusy = errors.New("render: all engines are busy")

// Invoice is what is to be printed.
type Invoice struct {
	Number string
	Lines  []string
}

// Engine makes a PDF; it takes seconds and most of a core.
type Engine interface {
	Render(ctx context.Context, inv Invoice) ([]byte, error)
}

// Sink takes the finished document.
type Sink interface {
	Put(ctx context.Context, number string, pdf []byte) error
}

// Renderer runs at most a fixed number of engines at a time.
type Renderer struct {
	engine Engine
	sink   Sink
	slots  chan struct{}

	mu     sync.Mutex
	failed map[string]error
	done   int
}

func NewRenderer(e Engine, s Sink, parallel int) *Renderer {
	return &Renderer{
		engine: e,
		sink:   s,
		slots:  make(chan struct{}, parallel),
		failed: make(map[string]error),
	}
}

// Start begins to render the invoice in the background. It never waits: the
// callers are the poll loops of the broker's partitions, which lose their
// partition when they do not come back in time.
func (r *Renderer) Start(ctx context.Context, inv Invoice) error {
	if len(r.slots) == cap(r.slots) {
		return ErrBusy
	}
	r.slots <- struct{}{}
	go func() {
		defer func() { <-r.slots }()
		r.note(inv.Number, r.render(ctx, inv))
	}()
	return nil
}

func (r *Renderer) render(ctx context.Context, inv Invoice) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	pdf, err := r.engine.Render(ctx, inv)
	if err != nil {
		return fmt.Errorf("render %s: %w", inv.Number, err)
	}
	return r.sink.Put(ctx, inv.Number, pdf)
}

func (r *Renderer) note(number string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		log.Print(err)
		r.failed[number] = err
		return
	}
	delete(r.failed, number)
	r.done++
}

// Failed lists what could not be rendered.
func (r *Renderer) Failed() map[string]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]error, len(r.failed))
	for n, err := range r.failed {
		out[n] = err
	}
	return out
}

// Load is the share of the engines in use.
func (r *Renderer) Load() float64 {
	return float64(len(r.slots)) / float64(cap(r.slots))
}

// Partition is one partition of the topic with the invoices.
type Partition interface {
	Poll(ctx context.Context) ([]Invoice, error)
	Pause(d time.Duration)
	Seek(inv Invoice)
}

func (r *Renderer) consume(ctx context.Context, p Partition) error {
	for {
		batch, err := p.Poll(ctx)
		if err != nil {
			return err
		}
		for _, inv := range batch {
			err := r.Start(ctx, inv)
			if errors.Is(err, ErrBusy) {
				p.Seek(inv)
				p.Pause(time.Second)
				break
			}
			if err != nil {
				return err
			}
		}
	}
}

// Run consumes all partitions until one of them fails.
func (r *Renderer) Run(ctx context.Context, parts []Partition) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() { cancel(r.consume(ctx, p)) })
	}
	wg.Wait()
	return context.Cause(ctx)
}
