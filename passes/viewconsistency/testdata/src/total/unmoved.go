package total

import "sync"

// Votes go up or down, and are not moved.
type Votes struct {
	mu sync.Mutex
	n  map[string]int
}

// NewVotes has none.
func NewVotes() *Votes { return &Votes{n: map[string]int{}} }

// Vote counts one.
func (v *Votes) Vote(k string, up bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if up {
		v.n["up"]++
	} else {
		v.n["down"]--
	}
}

func (v *Votes) get(k string) int { v.mu.Lock(); defer v.mu.Unlock(); return v.n[k] }

// Score adds up.
func (v *Votes) Score() int { return v.get("up") + v.get("down") }

// States has lists, between two of which something is moved.
type States struct {
	mu sync.Mutex
	by map[string][]int
}

// NewStates is empty.
func NewStates() *States { return &States{by: map[string][]int{}} }

// Start moves one.
func (q *States) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.by["ready"]
	if len(l) > 0 {
		q.by["ready"] = l[1:]
		q.by["running"] = append(q.by["running"], l[0])
	}
}

// Warn notes one.
func (q *States) Warn(n int) { q.mu.Lock(); q.by["warn"] = append(q.by["warn"], n); q.mu.Unlock() }

// Err notes one.
func (q *States) Err(n int) { q.mu.Lock(); q.by["err"] = append(q.by["err"], n); q.mu.Unlock() }

func (q *States) list(s string) []int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]int(nil), q.by[s]...)
}

// Messages has two lists that are not moved.
func (q *States) Messages() []int { return append(q.list("warn"), q.list("err")...) }

// Todo notes what is done, and moves nothing.
type Todo struct {
	mu sync.Mutex
	by map[string][]string
}

// NewTodo is empty.
func NewTodo() *Todo { return &Todo{by: map[string][]string{}} }

// Pop drops the first.
func (q *Todo) Pop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.by["todo"]; len(l) > 0 {
		q.by["todo"] = l[1:]
		q.by["log"] = append(q.by["log"], "popped one")
	}
}

func (q *Todo) list(s string) []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string(nil), q.by[s]...)
}

// Dump has all.
func (q *Todo) Dump() []string { return append(q.list("todo"), q.list("log")...) }
