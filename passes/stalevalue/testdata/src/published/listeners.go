package published

import (
	"sync"
	"sync/atomic"
)

// Rules are told to functions, and to objects.
type Rules struct {
	now atomic.Pointer[ruleSet]

	mu     sync.Mutex
	funcs  map[int]func(*ruleSet)
	hearer []hearer
	last   int
}

type ruleSet struct{ n int }

type hearer interface{ hear(*ruleSet) }

func (r *Rules) Apply(s *ruleSet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Store(s)
	for _, f := range r.funcs {
		f(s)
	}
	for _, h := range r.hearer {
		h.hear(s)
	}
}

// OnChange calls the function with rules that may be old when it is listed.
func (r *Rules) OnChange(f func(*ruleSet)) {
	f(r.now.Load())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.funcs[r.last] = f // want `stale-use: r\.now was read at line \d+ for what is only put into`
}

// Attach tells an object.
func (r *Rules) Attach(h hearer) {
	h.hear(r.now.Load())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hearer = append(r.hearer, h) // want `stale-use: r\.now was read at line \d+ for what is only put into`
}

// AttachRight tells it while changes have to wait.
func (r *Rules) AttachRight(h hearer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hearer = append(r.hearer, h)
	h.hear(r.now.Load())
}
