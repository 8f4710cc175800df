package fix

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var ErrOutOfBounds = errors.New("out of bounds")

type sample struct {
	t int64
	v float64
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	chunkRange       int64
	minTime, maxTime int64

	mtx     sync.Mutex
	samples []sample
}

func NewHead(chunkRange int64) *Head {
	return &Head{chunkRange: chunkRange, minTime: math.MinInt64, maxTime: math.MinInt64}
}

// MinTime returns the lowest time bound on visible data in the head.
func (h *Head) MinTime() int64 { return atomic.LoadInt64(&h.minTime) }

// MaxTime returns the highest timestamp seen in data of the head.
func (h *Head) MaxTime() int64 { return atomic.LoadInt64(&h.maxTime) }

func rangeForTimestamp(t, width int64) (mint, maxt int64) {
	mint = (t / width) * width
	return mint, mint + width
}

// initTime initializes a head with the first timestamp.
// Returns true if the initialization took an effect.
func (h *Head) initTime(t int64) (initialized bool) {
	mint, _ := rangeForTimestamp(t, h.chunkRange)

	if !atomic.CompareAndSwapInt64(&h.minTime, math.MinInt64, mint) {
		return false
	}
	// Ensure that max time is initialized to at least the min time we just set.
	// Concurrent appenders may already have set it to a higher value.
	atomic.CompareAndSwapInt64(&h.maxTime, math.MinInt64, t)
	return true
}

type Appender interface {
	Add(t int64, v float64) error
	Commit()
}

// initAppender is a helper to initialize the time bounds of the head upon the
// first sample it receives.
type initAppender struct {
	app  Appender
	head *Head
}

func (a *initAppender) Add(t int64, v float64) error {
	if a.app == nil {
		a.head.initTime(t)
		a.app = a.head.appender()
	}
	return a.app.Add(t, v)
}

func (a *initAppender) Commit() {
	if a.app != nil {
		a.app.Commit()
	}
}

// Appender returns a new Appender on the database.
func (h *Head) Appender() Appender {
	if h.MinTime() == math.MinInt64 {
		return &initAppender{head: h}
	}
	return h.appender()
}

func (h *Head) appender() *headAppender {
	return &headAppender{head: h, mint: h.MinTime(), highTimestamp: math.MinInt64}
}

type headAppender struct {
	head                *Head
	mint, highTimestamp int64
	samples             []sample
}

func (a *headAppender) Add(t int64, v float64) error {
	if t < a.mint {
		return ErrOutOfBounds
	}
	if t > a.highTimestamp {
		a.highTimestamp = t
	}
	a.samples = append(a.samples, sample{t, v})
	return nil
}

func (a *headAppender) Commit() {
	a.head.mtx.Lock()
	a.head.samples = append(a.head.samples, a.samples...)
	a.head.mtx.Unlock()

	for {
		ht := a.head.MaxTime()
		if a.highTimestamp <= ht || atomic.CompareAndSwapInt64(&a.head.maxTime, ht, a.highTimestamp) {
			return
		}
	}
}

// ScrapeLoop is run by one goroutine for each target.
func (h *Head) ScrapeLoop(in <-chan []sample) {
	for batch := range in {
		app := h.Appender()
		for _, s := range batch {
			_ = app.Add(s.t, s.v)
		}
		app.Commit()
	}
}
