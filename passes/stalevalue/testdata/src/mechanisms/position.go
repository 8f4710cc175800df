package mechanisms

import (
	"slices"
	"sync"
)

type roster struct {
	mu    sync.Mutex
	names []string
	queue []int
}

func (r *roster) Join(name string) {
	r.mu.Lock()
	r.names = append(r.names, name)
	r.mu.Unlock()
}

// Leave removes whoever is at the place by then.
func (r *roster) Leave(name string) {
	r.mu.Lock()
	i := slices.Index(r.names, name)
	r.mu.Unlock()
	if i < 0 {
		return
	}
	r.mu.Lock()
	r.names = slices.Delete(r.names, i, i+1) // want `lost-update: r\.names was read`
	r.mu.Unlock()
}

func (r *roster) index(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Index(r.names, name)
}

func (r *roster) Cut(name string) {
	if i := r.index(name); i >= 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.names = append(r.names[:i], r.names[i+1:]...) // want `lost-update: r\.names was read`
	}
}

// Quit looks for the place again.
func (r *roster) Quit(name string) {
	if r.index(name) < 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.names, name); i >= 0 {
		r.names = slices.Delete(r.names, i, i+1)
	}
}

func (r *roster) push(n int) {
	r.mu.Lock()
	r.queue = append(r.queue, n)
	r.mu.Unlock()
}

// run is the only one that takes from the queue; others append.
func (r *roster) run(use func([]int)) {
	for {
		r.mu.Lock()
		batch := r.queue
		r.mu.Unlock()
		use(batch)
		r.mu.Lock()
		r.queue = r.queue[len(batch):]
		r.mu.Unlock()
	}
}

func newRoster(use func([]int)) *roster {
	r := new(roster)
	go r.run(use)
	return r
}
