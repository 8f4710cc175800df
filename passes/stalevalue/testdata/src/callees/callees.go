// Package callees splits what has to be one step over functions that lock.
package callees

import "sync"

// A Balance locks in its methods.
type Balance struct {
	mu    sync.Mutex
	cents int
	open  bool
	note  *note
}

type note struct{ text string }

func (b *Balance) get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cents
}

func (b *Balance) set(cents int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cents = cents
}

func (b *Balance) both() (cents int, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cents, b.open
}

func (b *Balance) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = false
}

// Interest adds interest to what may have changed.
func (b *Balance) Interest(percent int) {
	c := b.get()
	b.set(c + c*percent/100) // want `lost-update: b\.cents was read at line \d+, but b\.mu was released when get returned and an update by another goroutine is lost by this call of set`
}

func (b *Balance) InterestAtOnce(percent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cents += b.cents * percent / 100
}

// Mixed: read by a callee, written in line.
func (b *Balance) Mixed() {
	c := b.get()
	b.mu.Lock()
	b.cents = c / 2 // want `lost-update: b\.cents was read at line \d+, but b\.mu was released when get returned`
	b.mu.Unlock()
}

// Second uses the first of two results.
func (b *Balance) Second() {
	c, _ := b.both()
	b.set(c * 2) // want `lost-update: b\.cents was read`
}

func (b *Balance) take(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cents -= n
}

// WithdrawChecked has the authoritative check in the callee.
func (b *Balance) WithdrawChecked(n int) bool {
	if c, open := b.both(); !open || c < n {
		return false
	}
	return b.takeChecked(n)
}

func (b *Balance) takeChecked(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open || b.cents < n {
		return false
	}
	b.cents -= n
	return true
}

// Deep: the callees are two calls away.
func (b *Balance) Deep() {
	b.store(b.peek()) // want `lost-update: b\.cents was read`
}

func (b *Balance) peek() int   { return b.get() * 2 }
func (b *Balance) store(n int) { b.set(n) }

// Wrapped: methods that lock and unlock for their callers.
func (b *Balance) lock()   { b.mu.Lock() }
func (b *Balance) unlock() { b.mu.Unlock() }

func (b *Balance) Wrapped() {
	b.lock()
	c := b.cents
	b.unlock()
	b.lock()
	b.cents = c * 2 // want `lost-update: b\.cents was read`
	b.unlock()
}

func (b *Balance) WrappedAtOnce() {
	b.lock()
	defer b.unlock()
	b.cents *= 2
}

// with calls f under the lock.
func (b *Balance) with(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *Balance) With() {
	var c int
	b.with(func() { c = b.cents })
	c *= 2
	b.with(func() { b.cents = c }) // want `lost-update: .*cents was read`
}

func (b *Balance) WithAtOnce() {
	b.with(func() {
		c := b.cents
		c *= 2
		b.cents = c
	})
}

func (b *Balance) WithCheck(n *note) {
	missing := false
	b.with(func() { missing = b.note == nil })
	if missing {
		b.with(func() { b.note = n }) // want `check-then-act: .*note was checked`
	}
}

func (b *Balance) WithRecheck(n *note) {
	missing := false
	b.with(func() { missing = b.note == nil })
	if missing {
		b.with(func() {
			if b.note == nil {
				b.note = n
			}
		})
	}
}

func (b *Balance) Forget() { b.with(func() { b.note = nil }) }

// update applies f to what is there.
func (b *Balance) update(f func(int) int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cents = f(b.cents)
}

func (b *Balance) Update() {
	b.update(func(c int) int { return c * 2 })
}

// acquire returns the function that lets go.
func (b *Balance) acquire() func() {
	b.mu.Lock()
	return func() { b.mu.Unlock() }
}

func (b *Balance) Acquire() {
	release := b.acquire()
	c := b.cents
	release()
	release = b.acquire()
	b.cents = c * 2 // want `lost-update: b\.cents was read`
	release()
}

func (b *Balance) AcquireAtOnce() {
	defer b.acquire()()
	b.cents *= 2
}

// Withdraw checks in one step and takes in another.
func (b *Balance) Withdraw(n int) bool {
	if c, open := b.both(); !open || c < n {
		return false
	}
	b.take(n) // want `check-then-act: b\.(cents|open) was checked`
	return true
}

// A callee gives up the lock before it removes what was asked for.
type Runners struct {
	mu   sync.Mutex
	all  map[string]*runner
	conf map[string]string
}

type runner struct{ done chan struct{} }

func (r *Runners) start(name, conf string) {
	r.conf[name] = conf
	r.all[name] = &runner{done: make(chan struct{})}
}

func (r *Runners) stop(name string) {
	if old := r.all[name]; old != nil {
		r.mu.Unlock()
		<-old.done
		r.mu.Lock()
	}
	delete(r.all, name)
	delete(r.conf, name)
}

func (r *Runners) Restart(name, conf string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.conf[name]; !ok {
		return
	}
	r.stop(name) // want `check-then-act: r\.conf\[name\] was checked`
	r.start(name, conf)
}

func (r *Runners) Start(name, conf string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.conf[name]; !ok {
		r.start(name, conf)
	}
}
