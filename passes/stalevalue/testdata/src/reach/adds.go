package reach

import "sync"

// What is added to a value and was computed from it.

type tally struct {
	mu   sync.Mutex
	n    int
	rows []row
}

type row struct{ key, value int }

func (t *tally) inc(a int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n += a
	return t.n
}

func (t *tally) Double() {
	i := t.inc(0)
	t.inc(i) // want `lost-update: t\.n was read`
}

func (t *tally) Twice() {
	t.inc(1)
	t.inc(1)
}

func (t *tally) Settle() {
	i := t.inc(0)
	t.inc(-i)
}

// What was taken out may be put back.
func (t *tally) take() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.n
	t.n = 0
	return n
}

func (t *tally) PutBack() {
	t.inc(t.take())
}

func (t *tally) maxKey() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := 0
	for _, r := range t.rows {
		m = max(m, r.key)
	}
	return m
}

func (t *tally) insert(key, value int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row{key, value})
}

func (t *tally) InsertNew(value int) {
	key := t.maxKey() + 1
	t.insert(key, value) // want `lost-update: t\.rows\[…\] was read`
}

// A new object that a WaitGroup's goroutines share.
func Share() int {
	t := new(tally)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			t.set(t.get() + 1) // want `lost-update: t\.n was read`
		})
	}
	wg.Wait()
	return t.get()
}

func (t *tally) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *tally) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n
}

// Values that go through channels, and through memory of the caller.
func (t *tally) Channel() {
	ch := make(chan int, 1)
	ch <- t.get() // want `lost-update: t\.n was read`
	t.set(2 * <-ch)
}

func (t *tally) read(n *int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*n = t.n
}

func (t *tally) Pointer() {
	var n int
	t.read(&n)
	t.set(2 * n) // want `lost-update: t\.n was read`
}

func (t *tally) copyTo(rows []row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	copy(rows, t.rows)
}

func (t *tally) Copy() {
	rows := make([]row, 10)
	t.copyTo(rows)
	t.mu.Lock()
	t.rows = rows // want `lost-update: t\.rows was read`
	t.mu.Unlock()
}

// Who waits for a change wants to be the one who acts.

type fork struct {
	mu    sync.Mutex
	put   sync.Cond
	taken bool
}

func (f *fork) TakeIf() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken {
		f.put.Wait()
	}
	f.taken = true // want `check-then-act: f\.taken was checked`
}

func (f *fork) Take() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.taken {
		f.put.Wait()
	}
	f.taken = true
}

func (f *fork) Put() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = false
	f.put.Signal()
}
