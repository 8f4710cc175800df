package pools

import "sync"

type footprint struct {
	seq  int
	prev string
	sum  string
}

// A Trail is a chain: each entry has the number that follows that of the one before.
type Trail struct {
	mu      sync.Mutex
	entries []footprint
}

func (t *Trail) tip() (int, string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.entries); n > 0 {
		last := &t.entries[n-1]
		return last.seq, last.sum
	}
	return 0, ""
}

func (t *Trail) push(e footprint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
}

// Append is wrong: two entries get one number.
func (t *Trail) Append(sign func(string) string) {
	seq, prev := t.tip()
	e := footprint{seq: seq + 1, prev: prev}
	e.sum = sign(prev)
	t.push(e) // want `lost-update: t\.entries was read at line \d+`
}

// Number is wrong: the number of the entries is that of the next one.
func (t *Trail) Number(sum string) int {
	t.mu.Lock()
	n := len(t.entries)
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, footprint{seq: n, sum: sum}) // want `lost-update: t\.entries was read at line \d+`
	return n
}

// Repeat adds what another entry has in it, which stays true.
func (t *Trail) Repeat() {
	_, sum := t.tip()
	t.push(footprint{seq: -1, sum: sum})
}
