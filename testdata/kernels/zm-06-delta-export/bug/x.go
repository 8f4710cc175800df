package bug

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Point is what is sent for one instrument.
type Point struct {
	Name  string
	Delta int64
}

// Sender brings points to the collector.
type Sender interface {
	Send(ctx context.Context, pts []Point) error
}

type instrument interface {
	label() string
	value() int64
	reset()
}

// Counter counts events.
type Counter struct {
	name string
	n    atomic.Int64
}

func (c *Counter) Inc()          { c.n.Add(1) }
func (c *Counter) label() string { return c.name }
func (c *Counter) value() int64  { return c.n.Load() }
func (c *Counter) reset()        { c.n.Store(0) }

// Meter adds up durations in microseconds.
type Meter struct {
	name string

	mu    sync.Mutex
	total time.Duration
}

func (m *Meter) Observe(d time.Duration) {
	m.mu.Lock()
	m.total += d
	m.mu.Unlock()
}

func (m *Meter) label() string { return m.name }

func (m *Meter) value() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(m.total / time.Microsecond)
}

func (m *Meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total = 0
}

// Exporter sends what has been counted since the last successful export.
type Exporter struct {
	out Sender

	exporting sync.Mutex

	mu    sync.Mutex
	insts []instrument
}

func NewExporter(out Sender) *Exporter { return &Exporter{out: out} }

func (e *Exporter) add(i instrument) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.insts = append(e.insts, i)
}

func (e *Exporter) Counter(name string) *Counter {
	c := &Counter{name: name}
	e.add(c)
	return c
}

func (e *Exporter) Meter(name string) *Meter {
	m := &Meter{name: name}
	e.add(m)
	return m
}

func (e *Exporter) all() []instrument {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]instrument(nil), e.insts...)
}

// Export sends one batch. What could not be sent goes with the next one.
func (e *Exporter) Export(ctx context.Context) error {
	e.exporting.Lock()
	defer e.exporting.Unlock()

	var pts []Point
	var sent []instrument
	for _, in := range e.all() {
		v := in.value()
		if v == 0 {
			continue
		}
		pts = append(pts, Point{Name: in.label(), Delta: v})
		sent = append(sent, in)
	}
	if len(pts) == 0 {
		return nil
	}
	if err := e.out.Send(ctx, pts); err != nil {
		return err
	}
	for _, in := range sent {
		in.reset()
	}
	return nil
}

// Run exports until ctx is done.
func (e *Exporter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = e.Export(ctx)
		case <-ctx.Done():
			return
		}
	}
}
