package counters

import (
	"sync"
	"sync/atomic"
)

// A Roster knows who is there by a count of the connections.
type Roster struct {
	conns  atomic.Int32
	mu     sync.Mutex
	online bool
}

// Join is overtaken by a Leave that comes after it.
func (r *Roster) Join() {
	if r.conns.Add(1) > 1 {
		return
	}
	r.mu.Lock()
	r.online = true // want `check-then-act: r\.conns was checked at line \d+`
	r.mu.Unlock()
}

// Leave ends what the next one has begun.
func (r *Roster) Leave() {
	if r.conns.Add(-1) > 0 {
		return
	}
	r.mu.Lock()
	r.online = false // want `check-then-act: r\.conns was checked at line \d+`
	r.mu.Unlock()
}

// A Relay runs while it has users.
type Relay struct {
	mu    sync.Mutex
	users int

	state   sync.Mutex
	running bool
}

func (r *Relay) set(on bool) {
	r.state.Lock()
	defer r.state.Unlock()
	r.running = on
}

func (r *Relay) Join() {
	r.mu.Lock()
	r.users++
	first := r.users == 1
	r.mu.Unlock()
	if first {
		r.set(true) // want `check-then-act: r\.users was checked at line \d+`
	}
}

func (r *Relay) Leave() {
	r.mu.Lock()
	r.users--
	last := r.users == 0
	r.mu.Unlock()
	if last {
		r.set(false) // want `check-then-act: r\.users was checked at line \d+`
	}
}

// A Beacon counts and acts in one step.
type Beacon struct {
	mu    sync.Mutex
	users int

	state sync.Mutex
	lit   bool
}

func (b *Beacon) set(on bool) {
	b.state.Lock()
	defer b.state.Unlock()
	b.lit = on
}

func (b *Beacon) Join() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users++
	if b.users == 1 {
		b.set(true)
	}
}

func (b *Beacon) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users--
	if b.users == 0 {
		b.set(false)
	}
}

// A Door keeps others out by the sign of its count, and asks again in the section that closes it.
type Door struct {
	users atomic.Int32
	mu    sync.Mutex
	shut  bool
}

func (d *Door) Enter() {
	if d.users.Add(1) > 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		d.users.Add(1 << 20)
		d.shut = false
	}
}

func (d *Door) Leave() { d.users.Add(-1) }

func (d *Door) Close() {
	if !d.users.CompareAndSwap(0, -1<<20) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users.Load() != -1<<20 {
		d.users.Add(1 << 20)
		return
	}
	d.shut = true
}

// A Handle is closed when its last user lets go. Nobody takes one that has no users, and nobody opens it again.
type Handle struct {
	users atomic.Int32
	mu    sync.Mutex
	open  bool
}

func (h *Handle) Take() { h.users.Add(1) }

func (h *Handle) Drop() {
	if h.users.Add(-1) == 0 {
		h.mu.Lock()
		h.open = false
		h.mu.Unlock()
	}
}

// A Booth has one who acts on it by a token: to give it back lets others in.
type Booth struct {
	mu    sync.Mutex
	holds map[int]string
}

func (b *Booth) take(n int, who string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	holder, ok := b.holds[n]
	if !ok || holder != "" {
		return false
	}
	b.holds[n] = who
	return true
}

func (b *Booth) release(n int, who string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if holder, ok := b.holds[n]; !ok || holder != who {
		return false
	}
	b.holds[n] = ""
	return true
}

func (b *Booth) restore(n int, who string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds[n] = who
}

// Move restores what another one may have taken.
func (b *Booth) Move(from, to int, who string) bool {
	if !b.release(from, who) {
		return false
	}
	if !b.take(to, who) {
		b.restore(from, who) // want `check-then-act: b\.holds\[from\] was checked at line \d+`
		return false
	}
	return true
}

// MoveRight takes the other one first.
func (b *Booth) MoveRight(from, to int, who string) bool {
	if !b.take(to, who) {
		return false
	}
	b.release(from, who)
	return true
}
