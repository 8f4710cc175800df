// Package a feeds the operations dashboard with the error rate per route.
package a

import (
	"fmt"
	"io"
	"sort"
	"sync"
	"time"
)

// Window counts the requests of one route in the current interval.
type Window struct {
	mu       sync.Mutex
	started  time.Time
	requests uint64
	failures uint64
}

// Observe counts one request.
func (w *Window) Observe(failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	if failed {
		w.failures++
	}
}

// Requests returns the number of requests in the interval.
func (w *Window) Requests() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// Failures returns the number of failed requests in the interval.
func (w *Window) Failures() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failures
}

// Counts returns both numbers of the interval.
func (w *Window) Counts() (requests, failures uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests, w.failures
}

// Rotate begins a new interval and returns how long the last one was.
func (w *Window) Rotate(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := now.Sub(w.started)
	w.started = now
	w.requests, w.failures = 0, 0
	return d
}

// Row is one line of the dashboard.
type Row struct {
	Route    string
	Good     uint64
	Bad      uint64
	BadShare float64
}

// Board has a window for each route. A ticker calls RotateAll, browsers ask
// for the rows.
type Board struct {
	windows map[string]*Window // not changed after NewBoard
	routes  []string
}

// NewBoard returns a board for the given routes.
func NewBoard(now time.Time, routes ...string) *Board {
	b := &Board{windows: make(map[string]*Window)}
	for _, r := range routes {
		if b.windows[r] == nil {
			b.windows[r] = &Window{started: now}
			b.routes = append(b.routes, r)
		}
	}
	sort.Strings(b.routes)
	return b
}

// Observe counts one request; routes that are not on the board are ignored.
func (b *Board) Observe(route string, failed bool) {
	if w := b.windows[route]; w != nil {
		w.Observe(failed)
	}
}

// RotateAll begins a new interval on every route.
func (b *Board) RotateAll(now time.Time) {
	for _, r := range b.routes {
		b.windows[r].Rotate(now)
	}
}

// Row returns the line of route.
func (b *Board) Row(route string) (Row, bool) {
	w := b.windows[route]
	if w == nil {
		return Row{}, false
	}
	total, bad := w.Counts()
	row := Row{Route: route, Good: total - bad, Bad: bad}
	if total > 0 {
		row.BadShare = float64(bad) / float64(total)
	}
	return row, true
}

// Print writes all rows as a table.
func (b *Board) Print(out io.Writer) error {
	for _, r := range b.routes {
		row, _ := b.Row(r)
		if _, err := fmt.Fprintf(out, "%-30s %8d %8d %6.2f%%\n", row.Route, row.Good, row.Bad, 100*row.BadShare); err != nil {
			return err
		}
	}
	return nil
}
