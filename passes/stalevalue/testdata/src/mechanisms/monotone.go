package mechanisms

import "sync"

// An index to which documents are only added, though their words change.
type index struct {
	mu   sync.Mutex
	docs map[string]map[string]int
	size map[string]int
	last map[string]int
}

func (x *index) Add(doc, word string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.docs[doc] == nil {
		x.docs[doc] = make(map[string]int)
	}
	x.docs[doc][word] = len(word)
	x.size[doc] = 0
}

func (x *index) Measure(doc string) {
	x.mu.Lock()
	_, ok := x.docs[doc]
	x.mu.Unlock()
	if !ok {
		return
	}
	x.mu.Lock()
	x.size[doc] = len(x.docs[doc]) // it is there for good
	x.mu.Unlock()
}

func (x *index) MeasureMissing(doc string) {
	x.mu.Lock()
	_, ok := x.docs[doc]
	x.mu.Unlock()
	if ok {
		return
	}
	x.mu.Lock()
	x.size[doc] = -len(x.docs) // want `check-then-act: x\.docs\[doc\] was checked`
	x.mu.Unlock()
}

// Plugins that are only added.
type registry struct {
	mu     sync.Mutex
	known  map[string]int
	active int
	shown  map[string]int
	shows  int
}

func (r *registry) Add(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.known[name]; !ok {
		r.known[name] = n
		r.active = n
	}
}

func (r *registry) Activate(name string) {
	r.mu.Lock()
	n := r.known[name]
	r.mu.Unlock()
	r.mu.Lock()
	r.active = n
	r.mu.Unlock()
}

func (r *registry) Show(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown[name] = n
	r.shows = n
}

func (r *registry) Hide(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.shown, name)
	r.shows = 0
}

func (r *registry) ShowAgain(name string) {
	r.mu.Lock()
	n := r.shown[name]
	r.mu.Unlock()
	r.mu.Lock()
	r.shows = n // want `stale-use: r\.shown\[name\] was read`
	r.mu.Unlock()
}
