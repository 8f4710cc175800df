package told

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Parcels are announced to those who wait for them.
type Parcels struct {
	state struct {
		sync.RWMutex
		at map[string]string
	}
	waiting struct {
		sync.Mutex
		by map[string][]chan<- string
	}
}

func (p *Parcels) Move(id, place string) {
	p.state.Lock()
	defer p.state.Unlock()
	p.state.at[id] = place

	p.waiting.Lock()
	by := p.waiting.by[id]
	delete(p.waiting.by, id)
	p.waiting.Unlock()
	for _, ch := range by {
		ch <- place
	}
}

func (p *Parcels) place(id string) string {
	p.state.RLock()
	defer p.state.RUnlock()
	return p.state.at[id]
}

func (p *Parcels) subscribe(id string) <-chan string {
	ch := make(chan string, 1)
	p.waiting.Lock()
	defer p.waiting.Unlock()
	p.waiting.by[id] = append(p.waiting.by[id], ch)
	return ch
}

// Wait misses a move after the look.
func (p *Parcels) Wait(ctx context.Context, id string) string {
	if at := p.place(id); at != "" {
		return at
	}
	select {
	case at := <-p.subscribe(id): // want `stale-use: p.state.at\[id\] was checked at line \d+ to wait for what is put into p.waiting.by\[id\] here; \(\*Parcels\).Move \(waiting.go:\d+\), which writes the one and then goes through the other, may run in between and be missed`
		return at
	case <-ctx.Done():
		return ""
	}
}

// WaitFirst subscribes before it looks.
func (p *Parcels) WaitFirst(ctx context.Context, id string) string {
	moved := p.subscribe(id)
	if at := p.place(id); at != "" {
		return at
	}
	select {
	case at := <-moved:
		return at
	case <-ctx.Done():
		return ""
	}
}

// Poll looks again from time to time.
func (p *Parcels) Poll(id string, every *time.Ticker) string {
	for {
		if at := p.place(id); at != "" {
			return at
		}
		moved := p.subscribe(id)
		select {
		case at := <-moved:
			return at
		case <-every.C:
		}
	}
}

// Next waits for a move after the one that there was.
func (p *Parcels) Next(id string) string {
	if p.place(id) == "" {
		return ""
	}
	return <-p.subscribe(id)
}

// Other waits for another parcel than that of the look.
func (p *Parcels) Other(first, second string) string {
	if at := p.place(first); at != "" {
		return at
	}
	return <-p.subscribe(second)
}

// Get asks again when it has waited, which is too late.
func (p *Parcels) Get(id string) string {
	if at := p.place(id); at != "" {
		return at
	}
	<-p.subscribe(id) // want `stale-use: p.state.at\[id\] was checked at line \d+ to wait for what is put into`
	return p.place(id)
}

// Tasks end once, which is told by an event.
type Tasks struct {
	mu     sync.Mutex
	states map[string]string
	events events
}

type events struct {
	mu      sync.Mutex
	streams map[*stream]bool
}

type stream struct {
	of string
	ch chan int
}

func (e *events) open(of string) *stream {
	s := &stream{of: of, ch: make(chan int, 1)}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams[s] = true
	return s
}

func (e *events) publish(of string, code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.streams {
		if s.of == of {
			s.ch <- code
		}
	}
}

func (t *Tasks) Start(id string, run func() int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[id] = "running"
	go func() {
		code := run()
		t.mu.Lock()
		t.states[id] = "ended"
		t.mu.Unlock()
		t.events.publish(id, code)
	}()
}

func (t *Tasks) state(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states[id]
}

// Await sleeps for good if the task ends after the look.
func (t *Tasks) Await(id string) int {
	if t.state(id) != "running" {
		return -1
	}
	s := t.events.open(id) // want `stale-use: t.states\[id\] was checked at line \d+ to wait for what is put into`
	return <-s.ch
}

// AwaitEnd asks whether the end is over already.
func (t *Tasks) AwaitEnd(id string) int {
	if t.state(id) == "ended" {
		return -1
	}
	s := t.events.open(id) // want `stale-use: t.states\[id\] was checked at line \d+ to wait for what is put into`
	return <-s.ch
}

// AwaitOpen has opened its stream before.
func (t *Tasks) AwaitOpen(id string) int {
	s := t.events.open(id)
	if t.state(id) != "running" {
		return -1
	}
	return <-s.ch
}

// An Index tells those who wait for a number.
type Index struct {
	applied atomic.Int64
	waiters waiters
}

type waiters struct {
	mu   sync.Mutex
	last int64
	by   map[int64]chan struct{}
}

var done = func() chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}()

// wait looks at the last number that was told.
func (w *waiters) wait(n int64) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last >= n {
		return done
	}
	ch := w.by[n]
	if ch == nil {
		ch = make(chan struct{})
		w.by[n] = ch
	}
	return ch
}

func (w *waiters) trigger(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = n
	for i, ch := range w.by {
		if i <= n {
			delete(w.by, i)
			close(ch)
		}
	}
}

func (x *Index) Apply(n int64) {
	x.applied.Store(n)
	x.waiters.trigger(n)
}

func (x *Index) Wait(n int64) {
	if x.applied.Load() < n {
		<-x.waiters.wait(n)
	}
}
