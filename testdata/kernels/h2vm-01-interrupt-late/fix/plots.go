// Package plots waters plots by plan. The plans can be exchanged while the
// plots are being watered.
package plots

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// Valve is something a plan opens for a while. Run returns early if ctx ends.
type Valve interface {
	Name() string
	Run(ctx context.Context) error
}

// Plan says how a plot is watered.
type Plan struct {
	Plot   string
	Every  time.Duration
	Valves []Valve
	Sum    string // changes with each change of the plan
}

func (p Plan) validate() error {
	if p.Plot == "" || p.Every <= 0 {
		return fmt.Errorf("plot %q: bad plan", p.Plot)
	}
	return nil
}

// Plot is one plot and the goroutine that waters it.
type Plot struct {
	name     string
	updateCh chan Plan
	stopCh   chan struct{}
	doneCh   chan struct{}

	mu     sync.RWMutex
	plan   Plan
	cancel context.CancelFunc // ends the rounds of the present plan
	rounds int
	failed int
}

func newPlot(p Plan) *Plot {
	return &Plot{
		name:     p.Plot,
		plan:     p,
		updateCh: make(chan Plan),
		stopCh:   make(chan struct{}),
		doneCh:   make(chan struct{}),
	}
}

// run waters the plot until it is stopped.
func (pl *Plot) run(ctx context.Context) {
	defer close(pl.doneCh)

	roundCtx, cancel := context.WithCancel(ctx)
	pl.mu.Lock()
	pl.cancel = cancel
	every := pl.plan.Every
	pl.mu.Unlock()
	defer pl.interrupt()

	pl.round(roundCtx)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pl.stopCh:
			return
		case p := <-pl.updateCh:
			// interrupt is called with every update, to get here at once.
			// From now on it is to end the rounds of the new plan.
			pl.mu.Lock()
			pl.cancel()
			roundCtx, pl.cancel = context.WithCancel(ctx)
			pl.plan = p
			pl.mu.Unlock()
			if p.Every != every {
				every = p.Every
				t.Reset(every)
			}
		case <-t.C:
			pl.round(roundCtx)
		}
	}
}

// round opens all valves of the plan, one after the other.
func (pl *Plot) round(ctx context.Context) {
	pl.mu.RLock()
	valves := pl.plan.Valves
	pl.mu.RUnlock()

	var errs []error
	for _, v := range valves {
		if err := v.Run(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.Name(), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	pl.mu.Lock()
	pl.rounds++
	if len(errs) > 0 {
		pl.failed++
	}
	pl.mu.Unlock()
	if err := errors.Join(errs...); err != nil {
		log.Printf("plot %s: %v", pl.name, err)
	}
}

// interrupt ends the round under way.
func (pl *Plot) interrupt() {
	pl.mu.RLock()
	defer pl.mu.RUnlock()
	if pl.cancel != nil {
		pl.cancel()
	}
}

// updateWith hands a new plan to the plot and returns when it has been taken.
func (pl *Plot) updateWith(p Plan) {
	select {
	case pl.updateCh <- p:
	case <-pl.doneCh:
	}
}

// stop ends the plot.
func (pl *Plot) stop() {
	close(pl.stopCh)
	pl.interrupt()
	<-pl.doneCh
}

// Rounds returns how many rounds were made and how many of them failed.
func (pl *Plot) Rounds() (made, failed int) {
	pl.mu.RLock()
	defer pl.mu.RUnlock()
	return pl.rounds, pl.failed
}

func (pl *Plot) sum() string {
	pl.mu.RLock()
	defer pl.mu.RUnlock()
	return pl.plan.Sum
}

// Garden is a set of plots.
type Garden struct {
	ctx context.Context

	reloadMu sync.Mutex // one reload at a time

	mu    sync.RWMutex
	plots map[string]*Plot
}

// NewGarden returns a garden without plots.
func NewGarden(ctx context.Context) *Garden {
	return &Garden{ctx: ctx, plots: make(map[string]*Plot)}
}

// Plot returns the plot with the given name, or nil.
func (g *Garden) Plot(name string) *Plot {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.plots[name]
}

// Reload makes plans the plans of the garden.
func (g *Garden) Reload(plans []Plan) error {
	wanted := make(map[string]Plan, len(plans))
	for _, p := range plans {
		if err := p.validate(); err != nil {
			return err
		}
		wanted[p.Plot] = p
	}
	g.reloadMu.Lock()
	defer g.reloadMu.Unlock()

	type update struct {
		plot *Plot
		plan Plan
	}
	var updates []update

	g.mu.Lock()
	for name, pl := range g.plots {
		p, ok := wanted[name]
		if !ok {
			pl.stop()
			delete(g.plots, name)
			continue
		}
		delete(wanted, name)
		if pl.sum() != p.Sum {
			updates = append(updates, update{pl, p})
		}
	}
	for name, p := range wanted {
		pl := newPlot(p)
		g.plots[name] = pl
		go pl.run(g.ctx)
	}
	g.mu.Unlock()

	var wg sync.WaitGroup
	for _, u := range updates {
		wg.Add(1)
		// The present plan has to be interrupted, so this comes first.
		u.plot.interrupt()
		go func() {
			defer wg.Done()
			u.plot.updateWith(u.plan)
		}()
	}
	wg.Wait()
	return nil
}
