package lifetimes

import "sync"

type listener struct {
	in  chan string
	end chan struct{}
}

func (l *listener) run() {
	for range l.in {
	}
	close(l.end)
}

// A Radio starts all listeners at once.
type Radio struct {
	mu        sync.Mutex
	started   bool
	over      bool
	group     sync.WaitGroup
	listeners map[string]*listener
	lines     map[string]*listener
}

func (r *Radio) Add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners[name] = &listener{in: make(chan string), end: make(chan struct{})}
	r.lines[name] = &listener{in: make(chan string), end: make(chan struct{})}
}

// Start tells Remove that the listeners close their channels by themselves from now on.
func (r *Radio) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.listeners {
		go l.run()
	}
	r.started = true
}

func (r *Radio) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.listeners[name]
	if l == nil {
		return
	}
	delete(r.listeners, name)
	if r.started {
		close(l.in)
	} else {
		close(l.end)
	}
}

// Say has goroutines that End waits for.
func (r *Radio) Say(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.lines[name]; l != nil && !r.over {
		r.group.Go(func() { l.in <- text })
	}
}

func (r *Radio) End() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.group.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, l := range r.lines {
		delete(r.lines, name)
		close(l.in)
	}
}
