// Package joined has objects that a function makes, and shares with the goroutines that it starts.
package joined

import "sync"

// A Haul is what goroutines bring in.
type Haul struct {
	mu   sync.Mutex
	fish []string
	done chan struct{}
	wg   sync.WaitGroup
}

func (h *Haul) catch(f string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fish = append(h.fish, f)
}

func (h *Haul) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fish
}

func (h *Haul) keep(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fish = h.fish[:n]
}

// Net waits for all nets.
func Net(nets []string) []string {
	h := &Haul{}
	var wg sync.WaitGroup
	for _, n := range nets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			h.catch(n)
		}()
	}
	wg.Wait()
	if len(h.all()) > 10 {
		h.keep(10)
	}
	return h.all()
}

// NetEarly does not wait.
func NetEarly(nets []string) []string {
	h := &Haul{}
	for _, n := range nets {
		go func() { h.catch(n); h.keep(0) }()
	}
	if len(h.all()) > 10 {
		h.keep(10) // want `fish was checked`
	}
	return h.all()
}

// A Rod is one goroutine.
type Rod struct {
	mu   sync.Mutex
	fish []string
	done chan struct{}
}

func cast(places []string) *Rod {
	r := &Rod{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for _, p := range places {
			r.mu.Lock()
			r.fish = append(r.fish, p)
			r.mu.Unlock()
		}
	}()
	return r
}

func (r *Rod) wait() { <-r.done }

// Angle waits for the end of the goroutine.
func Angle(places []string) []string {
	r := cast(places)
	r.wait()
	r.mu.Lock()
	n := len(r.fish)
	r.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > 3 {
		r.fish = r.fish[:3]
	}
	return r.fish
}

// A Line says that it is ready, and goes on.
type Line struct {
	mu    sync.Mutex
	fish  []string
	ready chan struct{}
}

func (l *Line) lay(places []string) {
	l.mu.Lock()
	l.fish = append(l.fish, "bait")
	l.mu.Unlock()
	close(l.ready)
	for range places {
		l.mu.Lock()
		l.fish = l.fish[:0]
		l.mu.Unlock()
	}
}

// Lay waits for the beginning.
func Lay(places []string) []string {
	l := &Line{ready: make(chan struct{})}
	go l.lay(places)
	<-l.ready
	l.mu.Lock()
	n := len(l.fish)
	l.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > 3 {
		l.fish = l.fish[:3] // want `fish was checked`
	}
	return l.fish
}

// A Trap can be found by others.
type Trap struct {
	mu   sync.Mutex
	fish []string
}

var traps sync.Map

func (t *Trap) empty() {
	t.mu.Lock()
	t.fish = t.fish[:0]
	t.mu.Unlock()
}

// Empty empties a trap.
func Empty(name string) {
	if t, ok := traps.Load(name); ok {
		t.(*Trap).empty()
	}
}

// Set makes a trap known.
func Set(name string) {
	t := &Trap{fish: []string{name, name}}
	traps.Store(name, t)
	t.mu.Lock()
	n := len(t.fish)
	t.mu.Unlock()
	if n > 1 {
		t.mu.Lock()
		t.fish = t.fish[:1] // want `fish was checked`
		t.mu.Unlock()
	}
}

// A Crab is pulled in turns.
type Crab struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	legs []int
}

func (c *Crab) pull() {
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.mu.Lock()
		c.legs = append(c.legs[:0], 1)
		c.mu.Unlock()
	}()
}

// Again waits, and starts another goroutine before it looks.
func Again() int {
	c := &Crab{}
	c.pull()
	c.wg.Wait()
	c.pull()
	c.mu.Lock()
	n := len(c.legs)
	c.mu.Unlock()
	if n > 1 {
		c.mu.Lock()
		c.legs = c.legs[:1] // want `legs was checked`
		c.mu.Unlock()
	}
	c.wg.Wait()
	return n
}

// Once waits for the second one, too.
func Once() int {
	c := &Crab{}
	c.pull()
	c.wg.Wait()
	c.pull()
	c.wg.Wait()
	c.mu.Lock()
	n := len(c.legs)
	c.mu.Unlock()
	if n > 1 {
		c.mu.Lock()
		c.legs = c.legs[:1]
		c.mu.Unlock()
	}
	return n
}
