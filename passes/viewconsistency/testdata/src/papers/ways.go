package papers

import "sync"

// VectorFail of the MoTH suite, which its authors miss: they take the view of each
// getter to have the flag and both fields, so that the two form a chain. But a
// passage reads one of the fields only.

type minmax struct {
	mu             sync.Mutex
	first, second  int
	firstIsGreater bool
}

func (v *minmax) max() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.firstIsGreater {
		return v.first
	}
	return v.second
}

func (v *minmax) min() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.firstIsGreater {
		return v.second
	}
	return v.first
}

func (v *minmax) set(a, b int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.first, v.second, v.firstIsGreater = a, b, a > b
}

func VectorFail(check func(bool)) {
	v := &minmax{}
	for range 2 {
		go func() {
			v.set(1, 2)
			hi := v.max()
			lo := v.min() // want `split-read: v\.first at line \d+ and v\.second here are read apart`
			check(hi == 2*lo)
		}()
	}
}

// The agent of NASA with a table of properties: the fields of one element belong
// together wherever their values come from.

type property struct {
	value    int
	achieved bool
}

type planner struct {
	mu    sync.Mutex
	table [8]property
	state [8]int
}

func (a *planner) task(n, v int, achieve func(int)) {
	a.mu.Lock()
	a.table[n].value = v
	a.mu.Unlock()
	achieve(v)
	a.mu.Lock()
	a.table[n].achieved = true // want `split-write: a\.table\[…\]\.value at line \d+ and a\.table\[…\]\.achieved here are written apart`
	a.mu.Unlock()
}

func (a *planner) failed(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.table[n].achieved && a.table[n].value != a.state[n]
}
