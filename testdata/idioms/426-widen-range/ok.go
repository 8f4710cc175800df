// Package ok collects samples and knows the range of their times.
package ok

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var errBounds = errors.New("out of bounds")

type sample struct {
	t int64
	v float64
}

type line struct {
	mu      sync.Mutex
	samples []sample
}

func (l *line) push(s sample) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.samples); n > 0 && l.samples[n-1].t >= s.t {
		return false
	}
	l.samples = append(l.samples, s)
	return true
}

func (l *line) between(mint, maxt int64) []sample {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []sample
	for _, s := range l.samples {
		if s.t >= mint && s.t <= maxt {
			out = append(out, s)
		}
	}
	return out
}

// Top holds the lines.
type Top struct {
	minTime, maxTime atomic.Int64
	oldest           int64
	lines            sync.Map // string -> *line
}

// New returns an empty top that refuses samples before oldest.
func New(oldest int64) *Top {
	t := &Top{oldest: oldest}
	t.minTime.Store(math.MaxInt64)
	t.maxTime.Store(math.MinInt64)
	return t
}

// MinTime is the lowest time of a sample.
func (t *Top) MinTime() int64 { return t.minTime.Load() }

// MaxTime is the highest time of a sample.
func (t *Top) MaxTime() int64 { return t.maxTime.Load() }

func (t *Top) widen(mint, maxt int64) {
	for {
		lt := t.MinTime()
		if mint >= lt {
			break
		}
		if t.minTime.CompareAndSwap(lt, mint) {
			break
		}
	}
	for {
		ht := t.MaxTime()
		if maxt <= ht {
			break
		}
		if t.maxTime.CompareAndSwap(ht, maxt) {
			break
		}
	}
}

func (t *Top) line(name string) *line {
	if l, ok := t.lines.Load(name); ok {
		return l.(*line)
	}
	l, _ := t.lines.LoadOrStore(name, &line{})
	return l.(*line)
}

// Appender collects samples for one commit, in one goroutine.
type Appender struct {
	top        *Top
	mint, maxt int64
	names      []string
	samples    []sample
}

// Appender starts a commit.
func (t *Top) Appender() *Appender {
	return &Appender{top: t, mint: math.MaxInt64, maxt: math.MinInt64}
}

// Add adds a sample.
func (a *Appender) Add(name string, ts int64, v float64) error {
	if ts < a.top.oldest {
		return errBounds
	}
	a.mint = min(a.mint, ts)
	a.maxt = max(a.maxt, ts)
	a.names = append(a.names, name)
	a.samples = append(a.samples, sample{ts, v})
	return nil
}

// Commit stores the samples and returns how many were in order.
func (a *Appender) Commit() int {
	n := 0
	for i, name := range a.names {
		if a.top.line(name).push(a.samples[i]) {
			n++
		}
	}
	if len(a.samples) > 0 {
		a.top.widen(a.mint, a.maxt)
	}
	return n
}

// Select returns the values of a line in a range.
func (t *Top) Select(name string, mint, maxt int64) []float64 {
	l, ok := t.lines.Load(name)
	if !ok {
		return nil
	}
	var out []float64
	for _, s := range l.(*line).between(mint, maxt) {
		out = append(out, s.v)
	}
	return out
}
