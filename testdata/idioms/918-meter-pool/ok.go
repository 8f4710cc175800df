// Package bench lends the calibrated voltmeters of a test bench to the test
// programs that run on it.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrUnfit is returned when a meter cannot be calibrated.
var ErrUnfit = errors.New("bench: meter is unfit")

// Instrument is the wire to a voltmeter. Only one program may talk to it at a
// time.
type Instrument interface {
	Volts(ctx context.Context) (float64, error)
	// Zero shorts the input and returns the offset it reads then.
	Zero(ctx context.Context) (float64, error)
}

// Meter is a voltmeter of the bench. A program that has borrowed it has it to
// itself; the status page may look at its state at any time.
type Meter struct {
	name string
	wire Instrument

	mu      sync.Mutex
	offset  float64
	zeroed  time.Time // when offset was found; zero if not yet
	reads   int       // readings since then
	trouble error     // outcome of the last use
}

// MeterState is what the status page shows of a meter.
type MeterState struct {
	Name    string
	Offset  float64
	Zeroed  time.Time
	Reads   int
	Trouble error
}

func (m *Meter) state() MeterState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MeterState{Name: m.name, Offset: m.offset, Zeroed: m.zeroed, Reads: m.reads, Trouble: m.trouble}
}

func (m *Meter) setZero(offset float64, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offset, m.zeroed, m.reads = offset, at, 0
}

func (m *Meter) countRead(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	m.trouble = err
}

// Bench owns the meters. It is safe for concurrent use.
type Bench struct {
	meters   []*Meter // all of them, for the status page
	free     chan *Meter
	maxAge   time.Duration
	maxReads int
}

// NewBench returns a bench with the named instruments. An offset is good for
// maxAge and maxReads readings.
func NewBench(wires map[string]Instrument, maxAge time.Duration, maxReads int) *Bench {
	b := &Bench{free: make(chan *Meter, len(wires)), maxAge: maxAge, maxReads: maxReads}
	for name, w := range wires {
		m := &Meter{name: name, wire: w}
		b.meters = append(b.meters, m)
		b.free <- m
	}
	slices.SortFunc(b.meters, func(x, y *Meter) int { return cmp.Compare(x.name, y.name) })
	return b
}

// Measure borrows a free meter, or waits for one, and takes a reading.
func (b *Bench) Measure(ctx context.Context) (float64, error) {
	var m *Meter
	select {
	case m = <-b.free:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { b.free <- m }()
	return b.read(ctx, m)
}

// read takes a reading with a borrowed meter and calibrates it before if that
// is due.
func (b *Bench) read(ctx context.Context, m *Meter) (float64, error) {
	st := m.state()
	if st.Zeroed.IsZero() || time.Since(st.Zeroed) > b.maxAge || st.Reads >= b.maxReads {
		offset, err := m.wire.Zero(ctx)
		if err != nil {
			m.countRead(err)
			return 0, fmt.Errorf("%w: %s: %w", ErrUnfit, m.name, err)
		}
		m.setZero(offset, time.Now())
		st.Offset = offset
	}
	v, err := m.wire.Volts(ctx)
	m.countRead(err)
	if err != nil {
		return 0, fmt.Errorf("bench: %s: %w", m.name, err)
	}
	return v - st.Offset, nil
}

// MeasureMean takes n readings at the same time, as far as there are meters,
// and returns their mean.
func (b *Bench) MeasureMean(ctx context.Context, n int) (float64, error) {
	if n < 1 {
		return 0, errors.New("bench: nothing to measure")
	}
	volts := make([]float64, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			volts[i], errs[i] = b.Measure(ctx)
		}()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	var sum float64
	for _, v := range volts {
		sum += v
	}
	return sum / float64(n), nil
}

// Status returns the states of all meters by name.
func (b *Bench) Status() []MeterState {
	out := make([]MeterState, len(b.meters))
	for i, m := range b.meters {
		out[i] = m.state()
	}
	return out
}
