package instances

import (
	"net/http"
	"sync"
)

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

// A Recoverer is run twice all the same.
type Recoverer struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewRecoverer() *Recoverer { return &Recoverer{waitCh: make(chan struct{})} }

func (x *Recoverer) get() int  { x.mu.Lock(); defer x.mu.Unlock(); return x.n }
func (x *Recoverer) set(n int) { x.mu.Lock(); defer x.mu.Unlock(); x.n = n }

func (x *Recoverer) Run() {
	defer func() { recover() }()
	defer close(x.waitCh)
	x.set(x.get() + 1) // want `lost-update: x.n was read`
}

// The server recovers from the panics of an Answerer.
type Answerer struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewAnswerer() *Answerer { return &Answerer{waitCh: make(chan struct{})} }

func (x *Answerer) get() int  { x.mu.Lock(); defer x.mu.Unlock(); return x.n }
func (x *Answerer) set(n int) { x.mu.Lock(); defer x.mu.Unlock(); x.n = n }

func (x *Answerer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer close(x.waitCh)
	x.set(x.get() + 1) // want `lost-update: x.n was read`
}

// A Looper need not come to the end.
type Looper struct {
	mu     sync.Mutex
	n      int
	waitCh chan struct{}
}

func NewLooper() *Looper { return &Looper{waitCh: make(chan struct{})} }

func (x *Looper) get() int  { x.mu.Lock(); defer x.mu.Unlock(); return x.n }
func (x *Looper) set(n int) { x.mu.Lock(); defer x.mu.Unlock(); x.n = n }

func (x *Looper) Run(ever bool) {
	for ever {
		x.set(x.get() + 1) // want `lost-update: x.n was read`
	}
	close(x.waitCh)
}

// A Renewer is replaced as a whole.
type Renewer struct {
	n      int
	waitCh chan struct{}
}

var renewing sync.Mutex

func NewRenewer() *Renewer { return &Renewer{waitCh: make(chan struct{})} }

func (x *Renewer) get() int  { renewing.Lock(); defer renewing.Unlock(); return x.n }
func (x *Renewer) set(n int) { renewing.Lock(); defer renewing.Unlock(); x.n = n }

func (x *Renewer) renew() {
	renewing.Lock()
	defer renewing.Unlock()
	fresh := Renewer{n: x.n, waitCh: make(chan struct{})}
	*x = fresh
}

func (x *Renewer) Run() {
	x.renew()
	defer close(x.waitCh)
	x.set(x.get() + 1) // want `lost-update: x.n was read`
}

// The channel of an Open one is made by others.
type Opener struct {
	mu   sync.Mutex
	n    int
	Done chan struct{}
}

func (x *Opener) get() int  { x.mu.Lock(); defer x.mu.Unlock(); return x.n }
func (x *Opener) set(n int) { x.mu.Lock(); defer x.mu.Unlock(); x.n = n }

func (x *Opener) Run() {
	defer close(x.Done)
	x.set(x.get() + 1) // want `lost-update: x.n was read`
}
