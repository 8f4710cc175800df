// Package known has what the analyzer gets wrong.
package known

import "sync"

// The programs of the papers.

// ObjectDraw: boxes among each other. Here, and in the two programs below, the
// context is the lock of one object, and the witness that of another one of the
// same type.

type box struct {
	mu         sync.Mutex
	x, y, w, h int
}

func (b *box) X() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x
}

func (b *box) Width() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w
}

func (b *box) Reshape(x, y, w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y, b.w, b.h = x, y, w, h
}

func (b *box) Intersects(o *box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ox := o.X()
	ow := o.Width() // want `reacquire: .* is taken again here, after line 38, `
	return ox < b.x+b.w && b.x < ox+ow
}

// calfuzzer: accounts.

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) Withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
}

func (a *account) Collect(from *account, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if from.Balance() < n {
		return false
	}
	from.Withdraw(n) // want `reacquire: .* is taken again here, after line 65, `
	a.balance += n
	return true
}

// StringBuffer.

type stringBuffer struct {
	mu  sync.Mutex
	buf []byte
}

func (b *stringBuffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.buf)
}

func (b *stringBuffer) GetChars(from, to int, dst []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	copy(dst, b.buf[from:to])
}

func (b *stringBuffer) SetLen(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = b.buf[:n]
}

func (b *stringBuffer) Append(o *stringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := o.Len()
	chars := make([]byte, n)
	o.GetChars(0, n, chars) // want `reacquire: o\.mu is taken again here, after line 101, `
	b.buf = append(b.buf, chars...)
}

// The same with a context of another kind.
type joiner struct {
	mu  sync.Mutex
	all []byte
}

func (j *joiner) Append(o *stringBuffer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := o.Len()
	chars := make([]byte, n)
	o.GetChars(0, n, chars) // want `reacquire: o\.mu is taken again here, after line 116, `
	j.all = append(j.all, chars...)
}

// Copy-on-write lists: the array is made as long as the argument is.

type bag struct {
	mu    sync.Mutex
	items []string
}

func (b *bag) Add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, s)
}

func (b *bag) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

func (b *bag) Items() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.items...)
}

type copyOnWrite struct {
	mu    sync.Mutex
	array []string
}

func (l *copyOnWrite) AddAll(b *bag) {
	l.mu.Lock()
	defer l.mu.Unlock()
	array := make([]string, len(l.array)+b.Len())
	n := copy(array, l.array)
	copy(array[n:], b.Items()) // want `reacquire: b\.mu is taken again here, after line 155, `
	l.array = array
}

func (l *copyOnWrite) AddEach(b *bag) {
	l.mu.Lock()
	defer l.mu.Unlock()
	array := make([]string, len(l.array)+b.Len())
	n := copy(array, l.array)
	for i, s := range b.Items() { // want `reacquire: b\.mu is taken again here, after line 164, `
		array[n+i] = s
	}
	l.array = array
}

// TVSchedulerPro: counting.

type deviceList struct {
	mu      sync.Mutex
	devices []bool
}

func (l *deviceList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.devices)
}

func (l *deviceList) Active(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.devices[i]
}

func (l *deviceList) Remove(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices = append(l.devices[:i], l.devices[i+1:]...)
}

type server struct {
	mu      sync.Mutex
	devices *deviceList
}

func (s *server) CountActive() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for i := 0; i < s.devices.Len(); i++ {
		if s.devices.Active(i) { // want `reacquire: .* is taken again here, after line 206, `
			n++
		}
	}
	return n
}

// "sor": who takes from a deque looks for himself. Benign in the paper.

type deque struct {
	mu    sync.Mutex
	tasks []func()
}

func (d *deque) Put(t func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tasks = append(d.tasks, t)
}

func (d *deque) Empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tasks) == 0
}

func (d *deque) Take() (func(), bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tasks) == 0 {
		return nil, false
	}
	t := d.tasks[len(d.tasks)-1]
	d.tasks = d.tasks[:len(d.tasks)-1]
	return t, true
}

type runner struct {
	mu     sync.Mutex
	victim *deque
	stolen []func()
}

func (r *runner) Steal() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.victim.Empty() {
		return false
	}
	t, ok := r.victim.Take()
	if ok {
		r.stolen = append(r.stolen, t)
	}
	return ok
}
