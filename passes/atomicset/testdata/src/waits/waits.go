// Package waits has units of work that wait, that try again, and that use
// atomic operations.
package waits

import (
	"sync"
	"sync/atomic"
)

// Queue waits for elements.
type Queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int //atomvet:set queue
	out  int //atomvet:set queue
}

// NewQueue makes one.
func NewQueue() *Queue {
	q := new(Queue)
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Put is one step.
func (q *Queue) Put() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n++
	q.cond.Signal()
}

// TakeIf tests once.
func (q *Queue) TakeIf() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.cond.Wait()
	}
	q.n--   // want `^R\(a\) W'\(a\) W\(a\): \(\*Queue\)\.TakeIf is not .*, if \(\*Queue\)\.Put comes`
	q.out++ // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Queue\)\.TakeIf is not .*, if another \(\*Queue\)\.TakeIf comes`
}

// TakeFor tests again.
func (q *Queue) TakeFor() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n == 0 {
		q.cond.Wait()
	}
	q.n--
	q.out++
}

// TakeOld tests again, but keeps what it read before.
func (q *Queue) TakeOld() {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.out
	for q.n == 0 { // want `^R\(a\) W'\(b\) W'\(a\) R\(b\): \(\*Queue\)\.TakeOld is not .*, if \(\*Queue\)\.TakeIf comes`
		q.cond.Wait()
	}
	q.out = out + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Queue\)\.TakeOld is not .*, if another \(\*Queue\)\.TakeOld comes`
}

// TakeSome waits and accumulates.
func (q *Queue) TakeSome(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n < n {
		n -= q.n
		q.n = 0 // want `^R\(a\) W'\(a\) W\(a\): \(\*Queue\)\.TakeSome is not .*, if \(\*Queue\)\.Put comes`
		q.cond.Wait()
	}
	q.n -= n
}

// Value is changed optimistically.
type Value struct {
	mu sync.Mutex
	v  int //atomvet:set value
}

func (v *Value) load() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.v
}

func (v *Value) swap(old, new int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.v != old {
		return false
	}
	v.v = new
	return true
}

// Await reads until it sees something.
func (v *Value) Await() {
	for v.load() == 0 {
	}
}

// Poll reads in each round, and takes nothing into the next.
func (v *Value) Poll() {
	for {
		v.mu.Lock()
		x := v.v
		v.mu.Unlock()
		if x > 0 {
			return
		}
	}
}

// Total accumulates.
func (v *Value) Total(n int) (sum int) {
	for range n {
		v.mu.Lock()
		sum += v.v // want `^R\(a\) W'\(a\) R\(a\): \(\*Value\)\.Total is not .*, if \(\*Value\)\.swap comes`
		v.mu.Unlock()
	}
	return sum
}

// Swap is one step.
func (v *Value) Swap(old, new int) bool { return v.swap(old, new) }

// Counter has atomic fields.
type Counter struct {
	n     atomic.Int64 //atomvet:set counter
	total int64        //atomvet:set counter
}

// Add is one step.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Inc is two.
func (c *Counter) Inc() { c.n.Store(c.n.Load() + 1) } // want `^R\(a\) W'\(a\) W\(a\): \(\*Counter\)\.Inc is not .*, if \(\*Counter\)\.Add comes`

// Function is one too, of the old kind.
func (c *Counter) Function(n int64) { atomic.AddInt64(&c.total, n) }

// Both writes two locations atomically, but not at once.
func (c *Counter) Both(n int64) {
	c.n.Add(n)
	atomic.AddInt64(&c.total, n) // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*Counter\)\.Both is not .*, if another \(\*Counter\)\.Both comes`
}

// Claim is changed by compare and swap.
type Claim struct {
	taken atomic.Bool //atomvet:set claim
}

// Take is one step.
func (c *Claim) Take() bool { return c.taken.CompareAndSwap(false, true) }

// TakeTwo is two.
func (c *Claim) TakeTwo() bool {
	if c.taken.Load() {
		return false
	}
	c.taken.Store(true) // want `^R\(a\) W'\(a\) W\(a\): \(\*Claim\)\.TakeTwo is not .*, if \(\*Claim\)\.Take comes`
	return true
}

// Init is made once.
type Init struct {
	once sync.Once
	x, y int //atomvet:set init
}

// Get makes it if need be.
func (i *Init) Get() int {
	i.once.Do(func() {
		i.x = 1
		i.y = 2
	})
	return i.x + i.y
}
