package lifetimes

import "sync"

type watcher struct {
	done    chan struct{}
	stopped bool
	once    sync.Once
}

// A Watch has watchers by name, which stay there when they are stopped.
type Watch struct {
	mu       sync.Mutex
	watchers map[string]*watcher
	asked    map[string]*watcher
	done     map[string]*watcher
	all      map[string]*watcher
}

func (w *Watch) Add(name string) *watcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := &watcher{done: make(chan struct{})}
	w.watchers[name], w.asked[name], w.done[name], w.all[name] = x, x, x, x
	return x
}

func (x *watcher) end() { close(x.done) }

// Stop leaves the watcher to the next one who stops it.
func (w *Watch) Stop(name string) {
	w.mu.Lock()
	x, ok := w.watchers[name]
	w.mu.Unlock()
	if !ok {
		return
	}
	x.end() // want `check-then-act: w\.watchers\[name\] was found at line 33, but w\.mu was released at line 34; \(\*Watch\)\.Stop \(left\.go:33\) may find it as well and close watcher\.done in between, and this close panics`
}

// StopAsked asks in the section of the close whether it has been made.
func (w *Watch) StopAsked(name string) {
	w.mu.Lock()
	x := w.asked[name]
	w.mu.Unlock()
	if x == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !x.stopped {
		x.stopped = true
		close(x.done)
	}
}

// StopOnce closes once for all.
func (w *Watch) StopOnce(name string) {
	w.mu.Lock()
	x := w.done[name]
	w.mu.Unlock()
	if x != nil {
		x.once.Do(x.end)
	}
}

// Close stops each of them, once.
func (w *Watch) Close() {
	w.mu.Lock()
	names := make([]string, 0, len(w.all))
	for name := range w.all {
		names = append(names, name)
	}
	w.mu.Unlock()
	for _, name := range names {
		w.mu.Lock()
		x := w.all[name]
		w.mu.Unlock()
		close(x.done)
	}
}
