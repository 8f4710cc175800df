package escaperef

import "sync"

// Rules replaces its lists: what was taken before stays as it is.
type Rules struct {
	mu    sync.RWMutex
	deps  []string
	users map[string]int
	names []string
}

func (r *Rules) SetDeps(deps []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deps = make([]string, len(deps))
	copy(r.deps, deps)
}

func (r *Rules) Deps() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.deps
}

func (r *Rules) SetUsers(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users = make(map[string]int)
	for i, n := range names {
		r.users[n] = i
	}
}

func (r *Rules) Users() map[string]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.users
}

// SetNames makes a new list only if the old one is too short.
func (r *Rules) SetNames(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.names) < len(names) {
		r.names = make([]string, len(names))
	}
	copy(r.names, names)
}

func (r *Rules) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.names // want `escape-ref: r\.names was taken`
}

// A Ward has beds, which go with what is in them.
type Ward struct {
	mu   sync.Mutex
	beds map[int]*bed
}

type bed struct{ notes map[string]bool }

func (w *Ward) Note(id int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.beds[id]; b != nil {
		b.notes[text] = true
	}
}

// Clear looks into a bed that nobody else finds any more.
func (w *Ward) Clear(id int) int {
	w.mu.Lock()
	b := w.beds[id]
	delete(w.beds, id)
	w.mu.Unlock()
	n := 0
	for range b.notes {
		n++
	}
	return n
}

// Count looks into one that is still there.
func (w *Ward) Count(id int) int {
	w.mu.Lock()
	b := w.beds[id]
	w.mu.Unlock()
	n := 0
	for range b.notes { // want `w.beds\[…\].notes was read at line \d+ without a lock`
		n++
	}
	return n
}
