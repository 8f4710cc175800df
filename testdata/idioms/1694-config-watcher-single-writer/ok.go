// Package a applies the configurations that providers send.
package a

import (
	"maps"
	"sync"
)

// Message is a new configuration of one provider.
type Message struct {
	Provider string
	Rules    map[string]string
}

// Watcher merges the configurations of all providers. One goroutine
// applies the messages; anyone may read.
type Watcher struct {
	in   chan Message
	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.RWMutex
	configs map[string]map[string]string // inner maps are immutable
	applied int
}

// NewWatcher starts the goroutine that applies messages.
func NewWatcher() *Watcher {
	w := &Watcher{
		in:      make(chan Message),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
		configs: make(map[string]map[string]string),
	}
	go w.loop()
	return w
}

// Send hands a message over; it reports false after Stop.
func (w *Watcher) Send(m Message) bool {
	m.Rules = maps.Clone(m.Rules)
	select {
	case w.in <- m:
		return true
	case <-w.stop:
		return false
	}
}

func (w *Watcher) loop() {
	defer close(w.done)
	for {
		select {
		case m := <-w.in:
			w.apply(m)
		case <-w.stop:
			return
		}
	}
}

// apply runs on the goroutine of loop only.
func (w *Watcher) apply(m Message) {
	w.mu.RLock()
	old, ok := w.configs[m.Provider]
	n := w.applied
	w.mu.RUnlock()
	if ok && maps.Equal(old, m.Rules) {
		return
	}

	w.mu.Lock()
	w.configs[m.Provider] = m.Rules
	w.applied = n + 1
	w.mu.Unlock()
}

// Rule looks a rule up.
func (w *Watcher) Rule(provider, name string) (string, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	r, ok := w.configs[provider][name]
	return r, ok
}

// Applied counts the configurations that made a difference.
func (w *Watcher) Applied() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.applied
}

// Stop ends the watcher.
func (w *Watcher) Stop() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
}
