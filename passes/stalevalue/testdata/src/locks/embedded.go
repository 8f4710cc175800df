package locks

import "sync"

// A Roster embeds its lock.
type Roster struct {
	sync.RWMutex
	seats int
	names []string
}

func (r *Roster) Grow() {
	r.RLock()
	n := r.seats
	r.RUnlock()
	if n < 16 {
		n = 16
	}
	r.Lock()
	r.seats = n + n/2 // want `lost-update: r\.seats was read at line \d+, but r(\.RWMutex)? was released at line \d+`
	r.Unlock()
}

func (r *Roster) GrowAtOnce() {
	r.Lock()
	defer r.Unlock()
	r.seats = max(r.seats, 16) + r.seats/2
}

// Replace loses names that were added in between.
func (r *Roster) Replace(old, name string) {
	r.RLock()
	names := append([]string(nil), r.names...)
	r.RUnlock()
	for i := range names {
		if names[i] == old {
			names[i] = name
		}
	}
	r.Lock()
	r.names = names // want `lost-update: r\.names was read at line \d+`
	r.Unlock()
}

func (r *Roster) ReplaceAtOnce(old, name string) {
	r.Lock()
	defer r.Unlock()
	names := append([]string(nil), r.names...)
	for i := range names {
		if names[i] == old {
			names[i] = name
		}
	}
	r.names = names
}

func (r *Roster) Add(name string) {
	r.Lock()
	r.names = append(r.names, name)
	r.Unlock()
}

// A pool gets its lock from outside.
type pool struct {
	mu   *sync.Mutex
	free int
}

type Pools struct {
	mu     sync.Mutex
	shared []*pool
}

func (p *Pools) Open(n int) {
	p.mu.Lock()
	p.shared = append(p.shared, &pool{mu: &p.mu, free: n})
	p.mu.Unlock()
}

func (p *pool) shrink() {
	p.mu.Lock()
	free := p.free
	p.mu.Unlock()
	p.mu.Lock()
	p.free = free - free/4 // want `lost-update: p\.free was read at line \d+, but p\.mu was released`
	p.mu.Unlock()
}

func (p *Pools) Shrink() {
	for _, x := range p.all() {
		go x.shrink()
	}
}

func (p *Pools) all() []*pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*pool(nil), p.shared...)
}
