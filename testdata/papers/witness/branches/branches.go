// Package branches is one of the false patterns of the paper about context and
// witness locks: two passages on two branches.
//
// Right: Till.Book holds the till and locks the drawer in the then-branch or in the
// else-branch, but never in both, and likewise in the switch of Till.Close. There is
// one passage through the drawer in each execution.
package branches

import "sync"

type Drawer struct {
	mu     sync.Mutex
	amount int
}

func (d *Drawer) Put(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.amount += n
}

func (d *Drawer) Take(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n = min(n, d.amount)
	d.amount -= n
	return n
}

type Till struct {
	mu     sync.Mutex
	sales  int
	drawer *Drawer
}

func (t *Till) Book(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sales++
	if n >= 0 {
		t.drawer.Put(n)
	} else {
		t.drawer.Take(-n)
	}
}

func (t *Till) Close(keep int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sales == 0:
		t.drawer.Put(keep)
	case t.sales > 10:
		t.drawer.Take(keep)
	}
	t.sales = 0
}

func Run() {
	d := &Drawer{}
	var wg sync.WaitGroup
	for i := range 4 {
		t := &Till{drawer: d}
		wg.Go(func() { t.Book(i) })
		wg.Go(func() { t.Book(-i) })
		wg.Go(func() { t.Close(1) })
	}
	wg.Wait()
}
