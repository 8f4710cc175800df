package lifetimes

import "sync"

// A Fetcher has requests that become stale once.
type Fetcher struct {
	mu       sync.Mutex
	requests map[int]*request
}

type request struct {
	id    int
	stale chan struct{}
}

func (f *Fetcher) Add(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests[r.id] = r
}

func (f *Fetcher) remove(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.requests, r.id)
}

func (f *Fetcher) find(id int) *request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[id]
}

// Deliver relies on the request that it has found.
func (f *Fetcher) Deliver(id int) {
	if r := f.find(id); r != nil {
		f.remove(r)
		close(r.stale) // want `check-then-act: f.requests\[id\] was found at line \d+; .*this close panics`
	}
}

// A Retry has such requests, too.
type Retry struct {
	mu       sync.Mutex
	requests map[int]*attempt
}

type attempt struct {
	id    int
	stale chan struct{}
}

func (f *Retry) Add(r *attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests[r.id] = r
}

func (f *Retry) find(id int) *attempt {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[id]
}

func (f *Retry) Deliver(id int) {
	if r := f.find(id); r != nil {
		f.revert(r)
	}
}

// revert asks whether the request is stale. That this and the close are no one step is another mistake.
func (f *Retry) revert(r *attempt) {
	select {
	case <-r.stale:
		return
	default:
	}
	close(r.stale) // want `check-then-act: r.stale.closed was checked at line \d+`
	f.mu.Lock()
	delete(f.requests, r.id)
	f.mu.Unlock()
}
