package positions

import "sync"

// A Register has rows that are found by their names.
type Register struct {
	mu   sync.Mutex
	rows []row
}

type row struct {
	name  string
	state string
}

func (r *Register) find(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.rows {
		if r.rows[i].name == name {
			return i
		}
	}
	return -1
}

func (r *Register) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rows)
}

func (r *Register) set(i int, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i >= 0 && i < len(r.rows) {
		r.rows[i].state = state
	}
}

func (r *Register) setOf(i int, name, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i >= 0 && i < len(r.rows) && r.rows[i].name == name {
		r.rows[i].state = state
	}
}

func (r *Register) Remove(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < len(r.rows) {
		r.rows = append(r.rows[:i], r.rows[i+1:]...)
	}
}

// Mark may set the state of another row: that there is one at the place says nothing of which it is.
func (r *Register) Mark(name, state string) {
	if i := r.find(name); i >= 0 {
		r.set(i, state) // want `check-then-act: r\.rows was checked at line \d+, but .* which uses the index`
	}
}

// MarkOf looks at the row again. That is right.
func (r *Register) MarkOf(name, state string) {
	if i := r.find(name); i >= 0 {
		r.setOf(i, name, state)
	}
}

// MarkLast sets the state of a row that is there, if it is there.
func (r *Register) MarkLast(state string) {
	r.set(r.Len()-1, state)
}
