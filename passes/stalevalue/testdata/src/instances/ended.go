package instances

import "sync"

// A Runner closes its channel in each run: nobody runs it twice.
type Runner struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewRunner() *Runner { return &Runner{waitCh: make(chan struct{})} }

func (r *Runner) get() int  { r.mu.Lock(); defer r.mu.Unlock(); return r.n }
func (r *Runner) set(n int) { r.mu.Lock(); defer r.mu.Unlock(); r.n = n }

func (r *Runner) Run(turns int) {
	defer close(r.waitCh)
	for range turns {
		r.set(r.get() + 1)
	}
}

func (r *Runner) Wait() int {
	<-r.waitCh
	return r.get()
}

// A Walker does so in a literal.
type Walker struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewWalker() *Walker { return &Walker{waitCh: make(chan struct{})} }

func (w *Walker) get() int  { w.mu.Lock(); defer w.mu.Unlock(); return w.n }
func (w *Walker) set(n int) { w.mu.Lock(); defer w.mu.Unlock(); w.n = n }

func (w *Walker) Run(turns int, done func()) {
	defer func() {
		close(w.waitCh)
		done()
	}()
	for range turns {
		w.set(w.get() + 1)
	}
}

// Start calls it, too: there is one run of the two.
func (w *Walker) Start() { go w.Run(3, func() {}) }

// A Rerunner makes a channel for each run.
type Rerunner struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func (r *Rerunner) get() int  { r.mu.Lock(); defer r.mu.Unlock(); return r.n }
func (r *Rerunner) set(n int) { r.mu.Lock(); defer r.mu.Unlock(); r.n = n }

func (r *Rerunner) Run(turns int) {
	r.mu.Lock()
	r.waitCh = make(chan struct{})
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.waitCh)
	}()
	for range turns {
		r.set(r.get() + 1) // want `lost-update: r.n was read`
	}
}

// A Closer closes its channel if it is the first, as it seems.
type Closer struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewCloser() *Closer { return &Closer{waitCh: make(chan struct{})} }

func (c *Closer) get() int  { c.mu.Lock(); defer c.mu.Unlock(); return c.n }
func (c *Closer) set(n int) { c.mu.Lock(); defer c.mu.Unlock(); c.n = n }

func (c *Closer) Run(turns int) {
	if c.get() == 0 {
		defer close(c.waitCh)
	}
	for range turns {
		c.set(c.get() + 1) // want `lost-update: c.n was read`
	}
}

// Two Counters of one Total: each of them is run once.
type Total struct {
	mu sync.Mutex
	n  int
}

func (t *Total) get() int  { t.mu.Lock(); defer t.mu.Unlock(); return t.n }
func (t *Total) set(n int) { t.mu.Lock(); defer t.mu.Unlock(); t.n = n }

type Counter struct {
	total  *Total
	waitCh chan struct{}
}

func NewCounter(t *Total) *Counter { return &Counter{total: t, waitCh: make(chan struct{})} }

func (c *Counter) Run() {
	defer close(c.waitCh)
	c.total.set(c.total.get() + 1) // want `lost-update: c.total.n was read`
}
