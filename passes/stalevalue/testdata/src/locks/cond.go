package locks

import "sync"

// A Gate counts the permits it has left.
type Gate struct {
	mu      sync.Mutex
	cond    *sync.Cond
	permits int
	open    bool
}

func NewGate(n int) *Gate {
	g := &Gate{permits: n}
	g.cond = sync.NewCond(&g.mu)
	return g
}

// Enter waits once, and goes on with what it knew before.
func (g *Gate) Enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := g.permits
	if left == 0 {
		g.cond.Wait()
	}
	g.permits = left - 1 // want `lost-update: g\.permits was read at line \d+`
}

// EnterLoop looks again after each wait.
func (g *Gate) EnterLoop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.permits == 0 {
		g.cond.Wait()
	}
	g.permits--
}

// EnterReload looks again in a loop that keeps what it saw.
func (g *Gate) EnterReload() {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := g.permits
	for left == 0 {
		g.cond.Wait()
		left = g.permits
	}
	g.permits = left - 1
}

func (g *Gate) Leave() {
	g.mu.Lock()
	g.permits++
	g.mu.Unlock()
	g.cond.Signal()
}

// A Queue is waited for until there is something in it.
type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
	n     int
}

func NewQueue() *Queue {
	q := &Queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Queue) Put(n int) {
	q.mu.Lock()
	q.items = append(q.items, n)
	q.n++
	q.mu.Unlock()
	q.cond.Signal()
}

// Take waits once: what was put may be taken by another.
func (q *Queue) Take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	n := q.items[0]
	q.items = q.items[1:] // want `check-then-act: q\.items was checked`
	return n
}

func (q *Queue) TakeLoop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	n := q.items[0]
	q.items = q.items[1:]
	return n
}

func (q *Queue) Count() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.cond.Wait()
	}
	q.n-- // want `check-then-act: q\.n was checked`
}

func (q *Queue) CountLoop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n == 0 {
		q.cond.Wait()
	}
	q.n--
}

// drained ends when its entries have gone.
type drained struct {
	mu      sync.Mutex
	cond    *sync.Cond
	entries map[string]bool
	loops   int
}

func newDrained() *drained {
	d := &drained{entries: make(map[string]bool)}
	d.cond = sync.NewCond(&d.mu)
	return d
}

func (d *drained) Add(k string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries != nil {
		d.entries[k] = true
	}
}

func (d *drained) Remove(k string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries != nil {
		delete(d.entries, k)
		d.cond.Broadcast()
	}
}

// End waits until there are no entries.
func (d *drained) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries == nil {
		return
	}
	for len(d.entries) != 0 {
		d.cond.Wait()
	}
	d.entries = nil
}

// EndLater waits once, for something else.
func (d *drained) EndLater() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries == nil {
		return
	}
	if d.loops != 0 {
		d.cond.Wait()
	}
	d.entries = make(map[string]bool) // want `check-then-act: d.entries was checked`
}

func (d *drained) Loop(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loops += n
	d.cond.Broadcast()
}
