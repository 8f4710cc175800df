// Package meter sums up usage events per account over short windows and hands
// the sums to billing.
package meter

import (
	"sync"
	"time"
)

// Usage is the sum of one window.
type Usage struct {
	Account string
	Units   int64
	Events  int
	Opened  time.Time
}

// Sink takes finished windows. It is called from several goroutines.
type Sink interface {
	Emit(Usage)
}

type window struct {
	opened time.Time

	mu     sync.Mutex
	units  int64
	events int
}

// add counts one event.
func (w *window) add(units int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.units += units
	w.events++
}

// take returns the sums of the window.
func (w *window) take() (int64, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.units, w.events
}

// Meter collects events. Record may be called concurrently; all calls have to
// have returned before Close is called.
type Meter struct {
	span time.Duration
	sink Sink

	open    sync.Map // account -> *window
	pending sync.WaitGroup
}

// New returns a meter whose windows are open for span, counted from the first
// event of an account.
func New(span time.Duration, sink Sink) *Meter {
	return &Meter{span: span, sink: sink}
}

// Record adds an event to the account's window.
func (m *Meter) Record(account string, units int64) {
	m.windowFor(account).add(units)
}

// windowFor returns the open window of an account, or opens one.
func (m *Meter) windowFor(account string) *window {
	if v, ok := m.open.Load(account); ok {
		return v.(*window)
	}
	w := &window{opened: time.Now()}
	m.pending.Add(1)
	if v, loaded := m.open.LoadOrStore(account, w); loaded {
		m.pending.Done()
		return v.(*window)
	}
	time.AfterFunc(m.span, func() { m.fire(account, w) })
	return w
}

// fire takes a window out of the map and emits it. Of the timer and Close only
// the one that finds it there does so.
func (m *Meter) fire(account string, w *window) {
	if !m.open.CompareAndDelete(account, w) {
		return
	}
	defer m.pending.Done()
	units, events := w.take()
	if events == 0 {
		return
	}
	m.sink.Emit(Usage{Account: account, Units: units, Events: events, Opened: w.opened})
}

// Open returns the number of open windows.
func (m *Meter) Open() int {
	n := 0
	m.open.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}

// Close emits all open windows and waits until the sink has them.
func (m *Meter) Close() {
	m.open.Range(func(k, v any) bool {
		m.fire(k.(string), v.(*window))
		return true
	})
	m.pending.Wait()
}
