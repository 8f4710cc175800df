package callees

import "sync"

// A Registry has members by name, and as many as it may have.
type Registry struct {
	mu      sync.Mutex
	limit   int
	dial    func() *int
	members map[string]*int
}

func (r *Registry) find(name string) *int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members[name]
}

// Join asks how many members there are, which says nothing about the one that it has looked for.
func (r *Registry) Join(name string) *int {
	if m := r.find(name); m != nil {
		return m
	}
	m := r.dial()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.members) >= r.limit {
		return nil
	}
	r.members[name] = m // want `check-then-act: r.members\[name\] was checked at line 21`
	return m
}

// JoinFirst asks whether there are members at all.
func (r *Registry) JoinFirst(name string) *int {
	r.mu.Lock()
	m := r.members[name]
	r.mu.Unlock()
	if m != nil {
		return m
	}
	m = r.dial()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.members) == 0 {
		r.members[name] = m
	}
	return m
}
