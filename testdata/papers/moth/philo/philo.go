// Package philo is Philo of the MoTH paper: five philosophers and five forks
// behind one monitor.
//
// No violation. Wait gives the lock away, but the forks are looked at again after
// it: what was read before Wait is not used. The number that GetForks returns
// ends the loop of a philosopher and decides nothing at the table.
package philo

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

const (
	philosophers = 5
	maxEaten     = 12
)

// A Table has the forks. Philosopher id eats with the forks id and id+1.
type Table struct {
	mu    sync.Mutex
	put   *sync.Cond // forks were put back
	taken [philosophers]bool
	eaten int
}

// NewTable returns a table with all forks on it.
func NewTable() *Table {
	t := new(Table)
	t.put = sync.NewCond(&t.mu)
	return t
}

// GetForks waits for both forks of id, takes them and returns how often they were
// taken before. The lock is free during Wait, so the forks are
// looked at again.
func (t *Table) GetForks(id int) int {
	left, right := id, (id+1)%philosophers
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.taken[left] || t.taken[right] {
		pause()
		t.put.Wait()
	}
	t.taken[left] = true
	t.taken[right] = true
	t.eaten++
	return t.eaten - 1
}

// PutForks puts both forks of id back. Everybody is told, because the one to be
// told first may need a fork that is still taken.
func (t *Table) PutForks(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken[id] = false
	t.taken[(id+1)%philosophers] = false
	t.put.Broadcast()
}

// philosopher eats until enough has been eaten by all. The number that ends the
// loop is a count, nothing is done with it at the table.
func philosopher(t *Table, id int) {
	for {
		eaten := t.GetForks(id)
		t.PutForks(id)
		if eaten >= maxEaten {
			return
		}
	}
}

// Run lets the philosophers dine.
func Run() {
	t := NewTable()
	var wg sync.WaitGroup
	for id := range philosophers {
		wg.Go(func() { philosopher(t, id) })
	}
	wg.Wait()
}
