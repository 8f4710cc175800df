package handoff

import "sync"

type grant struct {
	id, until, gen int
}

// Grants end when their time is over: those that are due are sent to a goroutine that removes them.
type Grants struct {
	mu      sync.Mutex
	all     map[int]*grant
	due     chan int
	batches chan []int
	marked  chan grant
	quit    chan struct{}
}

func NewGrants() *Grants {
	g := &Grants{all: make(map[int]*grant), due: make(chan int), batches: make(chan []int, 1), marked: make(chan grant), quit: make(chan struct{})}
	go g.remove()
	return g
}

func (g *Grants) Open(id, until int) {
	g.mu.Lock()
	g.all[id] = &grant{id: id, until: until}
	g.mu.Unlock()
}

func (g *Grants) Renew(id, until int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.all[id]
	if x == nil {
		return false
	}
	x.until = until
	x.gen++
	return true
}

func (g *Grants) over(now int) []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ids []int
	for id, x := range g.all {
		if x.until < now {
			ids = append(ids, id)
		}
	}
	return ids
}

// Sweep sends one after the other.
func (g *Grants) Sweep(now int) {
	for _, id := range g.over(now) {
		select { // want `check-then-act: g.all\[…\].until was checked at line \d+, but .* removes what it was checked for`
		case g.due <- id:
		case <-g.quit:
			return
		}
	}
}

// SweepAtOnce sends all together.
func (g *Grants) SweepAtOnce(now int) {
	if ids := g.over(now); len(ids) > 0 {
		select { // want `check-then-act: g.all\[…\].until was checked at line \d+, but .* removes what it was checked for`
		case g.batches <- ids:
		default:
		}
	}
}

func (g *Grants) overWith(now int) []grant {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []grant
	for id, x := range g.all {
		if x.until < now {
			out = append(out, grant{id: id, gen: x.gen})
		}
	}
	return out
}

// SweepMarked sends with each the number of its renewals, which the receiver compares.
func (g *Grants) SweepMarked(now int) {
	for _, x := range g.overWith(now) {
		g.marked <- x
	}
}

func (g *Grants) remove() {
	for {
		select {
		case id := <-g.due:
			g.revoke(id)
		case ids := <-g.batches:
			for _, id := range ids {
				g.revoke(id)
			}
		case x := <-g.marked:
			g.revokeMarked(x)
		case <-g.quit:
			return
		}
	}
}

func (g *Grants) revoke(id int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.all[id]; !ok {
		return false
	}
	delete(g.all, id)
	return true
}

func (g *Grants) revokeMarked(x grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if y, ok := g.all[x.id]; ok && y.gen == x.gen {
		delete(g.all, x.id)
	}
}
