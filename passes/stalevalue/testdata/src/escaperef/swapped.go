package escaperef

import "sync"

// A Tally counts by name, for a period.
type Tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *Tally) Count(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name]++
}

// swap begins a new period: what it returns is nobody else's any more.
func (t *Tally) swap() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.counts
	t.counts = make(map[string]int)
	return old
}

// current returns what others go on counting in.
func (t *Tally) current() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}

func (t *Tally) Flush(send func(string, int)) {
	for name, n := range t.swap() {
		send(name, n)
	}
}

func (t *Tally) Peek(send func(string, int)) {
	for name, n := range t.current() { // want `escape-ref: t.counts was taken at line \d+ under t.mu and is used here`
		send(name, n)
	}
}
