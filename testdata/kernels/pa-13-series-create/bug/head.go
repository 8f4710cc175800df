// Package head is the in-memory part of the time series database.
package head

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrOutOfOrder is returned for a sample that is not newer than the last.
var ErrOutOfOrder = errors.New("head: out of order sample")

// Head holds the most recent samples. Scrape loops append to it concurrently.
type Head struct {
	series    *stripeSeries
	lastRef   atomic.Uint64
	numSeries atomic.Int64
	limit     int64
}

// New returns an empty head. The limit of series is a soft one.
func New(limit int64) *Head { return &Head{series: newStripeSeries(), limit: limit} }

func (h *Head) getOrCreate(hash uint64, l Labels) (*memSeries, error) {
	if s := h.series.get(hash, l); s != nil {
		return s, nil
	}
	if n := h.numSeries.Load(); n >= h.limit {
		return nil, fmt.Errorf("head: %d series, limit reached", n)
	}
	s := &memSeries{ref: h.lastRef.Add(1), labels: l}
	h.series.set(hash, s)
	h.numSeries.Add(1)
	return s, nil
}

// NumSeries returns the number of series.
func (h *Head) NumSeries() int64 { return h.numSeries.Load() }

// Select calls fn with the samples of a series in the range.
func (h *Head) Select(l Labels, from, to int64, fn func(t int64, v float64)) bool {
	s := h.series.get(h.series.hash(l), l)
	if s == nil {
		return false
	}
	s.between(from, to, fn)
	return true
}

// Appender adds the samples of one scrape target. It remembers the series it
// has seen and is used by one scrape loop.
type Appender struct {
	head *Head
	seen map[Labels]*memSeries
}

// Appender returns an appender for a new scrape loop.
func (h *Head) Appender() *Appender {
	return &Appender{head: h, seen: make(map[Labels]*memSeries)}
}

// Append adds one sample.
func (a *Appender) Append(l Labels, t int64, v float64) error {
	s, ok := a.seen[l]
	if !ok {
		var err error
		if s, err = a.head.getOrCreate(a.head.series.hash(l), l); err != nil {
			return err
		}
		a.seen[l] = s
	}
	return s.append(t, v)
}
