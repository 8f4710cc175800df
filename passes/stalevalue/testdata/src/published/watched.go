package published

import (
	"maps"
	"sync"
)

// Flags tell their watchers of changes, each of its own.
type Flags struct {
	mu       sync.Mutex
	on       map[string]bool
	watchers map[string]map[chan bool]bool
}

func NewFlags() *Flags {
	return &Flags{on: make(map[string]bool), watchers: make(map[string]map[chan bool]bool)}
}

func (f *Flags) Set(name string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[name] = on
	for w := range f.watchers[name] {
		w <- on
	}
}

func (f *Flags) Get(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.on[name]
}

func (f *Flags) subscribe(name string) chan bool {
	w := make(chan bool, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers[name] == nil {
		f.watchers[name] = make(map[chan bool]bool)
	}
	f.watchers[name][w] = true
	return w
}

// Watch hands out a state and the changes after a later one.
func (f *Flags) Watch(name string) (bool, <-chan bool) {
	on := f.Get(name)
	changes := f.subscribe(name) // want `stale-use: f\.on\[name\] was read at line \d+ for what is only put into`
	return on, changes
}

// WatchFirst has the changes first.
func (f *Flags) WatchFirst(name string) (bool, <-chan bool) {
	changes := f.subscribe(name)
	return f.Get(name), changes
}

func (f *Flags) all() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.on)
}

func (f *Flags) subscribeWith(name string, room int) chan bool {
	w := make(chan bool, room)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers[name] == nil {
		f.watchers[name] = make(map[chan bool]bool)
	}
	f.watchers[name][w] = true
	return w
}

// WatchAll hands out all states, and changes after later ones: how many of these there is room for depends on the states.
func (f *Flags) WatchAll(name string) (map[string]bool, <-chan bool) {
	all := f.all()
	return all, f.subscribeWith(name, 1+len(all)) // want `stale-use: f\.on was read at line \d+ for what is only put into`
}

// Follow calls the function with the state, and with the changes after a later one.
func (f *Flags) Follow(name string, do func(bool)) {
	on := f.Get(name)
	changes := f.subscribe(name) // want `stale-use: f\.on\[name\] was read at line \d+ for what is only put into`
	do(on)
	for on := range changes {
		do(on)
	}
}

// Notify gives the changes to another function.
func (f *Flags) Notify(name string, now, later func(bool)) {
	now(f.Get(name))
	for on := range f.subscribe(name) {
		later(on)
	}
}
