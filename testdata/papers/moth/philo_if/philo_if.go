// Package philoif is philo with the forks looked at only once. Its right twin is
// philo.
//
// AV1, GetForks before and after Wait: a philosopher finds a fork taken and
// waits. Another one puts its forks back and wakes it, or a third one takes the
// fork between the waking and the return of Wait. The first philosopher takes
// forks that are not on the table: one fork has two owners.
package philoif

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
// taken before.
func (t *Table) GetForks(id int) int {
	left, right := id, (id+1)%philosophers
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[left] || t.taken[right] { // AV1: the check
		pause()
		t.put.Wait()
	}
	t.taken[left] = true // AV1: the act
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
