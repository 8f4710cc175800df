// Package loops takes and gives up locks in loops.
package loops

import "sync"

type meter struct {
	mu    sync.Mutex
	total int
	free  int
	used  int
	owner *meter
	next  map[int]*meter
}

func New() *meter { return &meter{next: make(map[int]*meter)} }

// Set interferes.
func (m *meter) Set(total, free int) {
	m.mu.Lock()
	m.total, m.free = total, free
	m.mu.Unlock()
}

// Fresh reads anew in each round.
func (m *meter) Fresh(rounds int) {
	for range rounds {
		m.mu.Lock()
		last := m.total
		m.total = last * 2
		m.mu.Unlock()
	}
}

// Before: the decision is made once, before the loop.
func (m *meter) Before(rounds int) {
	m.mu.Lock()
	ok := m.free > 0
	m.mu.Unlock()
	for range rounds {
		if ok {
			m.mu.Lock()
			m.free-- // want `check-then-act: m\.free was checked`
			m.mu.Unlock()
		}
	}
}

// Each decides in each round.
func (m *meter) Each(rounds int) {
	for range rounds {
		m.mu.Lock()
		if m.free > 0 {
			m.free--
		}
		m.mu.Unlock()
	}
}

// Relocked: two passages in each round.
func (m *meter) Relocked(rounds int) {
	for range rounds {
		m.mu.Lock()
		t := m.total
		m.mu.Unlock()
		m.mu.Lock()
		m.total = t * 2 // want `lost-update: m\.total was read`
		m.mu.Unlock()
	}
}

// Inside gives the lock up in the middle of each round.
func (m *meter) Inside(each func(int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.free > 0 {
		t := m.total
		m.mu.Unlock()
		each(t)
		m.mu.Lock()
		m.total = t + t/2 // want `lost-update: m\.total was read`
	}
}

// Head: the condition of the loop is what goes stale.
func (m *meter) Head() {
	for m.left() > 0 {
		m.mu.Lock()
		m.free-- // want `check-then-act: m\.free was checked`
		m.mu.Unlock()
	}
}

func (m *meter) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.free
}

// HeadAgain looks again in the loop.
func (m *meter) HeadAgain() {
	for m.left() > 0 {
		m.mu.Lock()
		if m.free > 0 {
			m.free--
		}
		m.mu.Unlock()
	}
}

// Back goes back to the check after it has let go.
func (m *meter) Back(wait func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.free == 0 {
		m.mu.Unlock()
		wait()
		m.mu.Lock()
	}
	m.free--
}

// Elements: one lock for each element.
func Elements(list []*meter) {
	for _, m := range list {
		m.mu.Lock()
		t := m.total
		m.mu.Unlock()
		m.mu.Lock()
		m.total = t * t // want `lost-update: .*\.total was read`
		m.mu.Unlock()
	}
}

// Sum reads from all and writes to one.
func Sum(dst *meter, list []*meter) {
	sum := 0
	for _, m := range list {
		m.mu.Lock()
		sum += m.total
		m.mu.Unlock()
	}
	dst.mu.Lock()
	dst.total = sum
	dst.mu.Unlock()
}

// Collect decides about each key under the lock, and acts on all of them later.
func (m *meter) Collect(stale func(*meter) bool) {
	var keys []int
	m.mu.Lock()
	for k, x := range m.next {
		if stale(x) {
			keys = append(keys, k)
		}
	}
	m.mu.Unlock()
	for _, k := range keys {
		m.mu.Lock()
		if x := m.next[k]; x != nil && stale(x) {
			delete(m.next, k)
		}
		m.mu.Unlock()
	}
}

// PollAtOnce takes what it has found free.
func (m *meter) PollAtOnce(pause func(), o *meter) {
	for {
		m.mu.Lock()
		if m.owner == nil {
			m.owner = o
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
		pause()
	}
}

func (m *meter) Release() {
	m.mu.Lock()
	m.owner = nil
	m.mu.Unlock()
}

// Labeled leaves two loops at once.
func (m *meter) Labeled(grid [][]int) {
	n := 0
outer:
	for _, row := range grid {
		for _, c := range row {
			m.mu.Lock()
			n = m.used
			m.mu.Unlock()
			if c < n {
				break outer
			}
		}
	}
	m.mu.Lock()
	m.used = n + 1 // want `lost-update: m\.used was read`
	m.mu.Unlock()
}

// Goto is a loop, too.
func (m *meter) Goto(pause func()) {
again:
	m.mu.Lock()
	if m.free == 0 {
		m.mu.Unlock()
		pause()
		goto again
	}
	m.free--
	m.mu.Unlock()
}

// GotoStale comes back behind the check.
func (m *meter) GotoStale(pause func(), tries int) {
	m.mu.Lock()
	n := m.free
again:
	if tries > 0 {
		tries--
		m.mu.Unlock()
		pause()
		m.mu.Lock()
		goto again
	}
	m.free = n - 1 // want `lost-update: m\.free was read`
	m.mu.Unlock()
}
