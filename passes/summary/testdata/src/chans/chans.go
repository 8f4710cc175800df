// Package chans uses channels with room for one element as locks. // want package:"summary"
package chans

// sem is taken by sending.
type sem struct {
	token chan struct{}
	n     int
}

func newSem() *sem { return &sem{token: make(chan struct{}, 1)} }

func (s *sem) Inc() { // want `: region 0 p0.token exclusive; 0 write sem.n of p0 in 0 `
	s.token <- struct{}{}
	s.n++
	<-s.token
}

func (s *sem) IncDeferred() { // want `: region 0 p0.token exclusive; 0 write sem.n of p0 in 0 `
	s.token <- struct{}{}
	defer func() { <-s.token }() // want `: release f0.token exclusive`
	s.n++
}

func (s *sem) Twice() { // want `: region 0 p0.token exclusive; region 1 p0.token exclusive; 0 write sem.n of p0 in 0 .*from \d; .*read sem.n of p0 in 1`
	s.token <- struct{}{}
	n := s.n
	<-s.token
	s.token <- struct{}{}
	s.n = n + 1
	<-s.token
}

// primed starts with a token in it, and is taken by receiving.
type primed struct {
	token chan int
	n     int
}

func newPrimed() *primed { // want `: result 0 fresh$`
	p := &primed{token: make(chan int, 1)}
	p.token <- 1
	return p
}

func (p *primed) Inc() { // want `: region 0 p0.token exclusive; 0 write primed.n of p0 in 0 `
	t := <-p.token
	p.n++
	p.token <- t
}

// selected is taken in a select, and given back outside.
type selected struct {
	token chan struct{}
	done  chan struct{}
	n     int
}

func newSelected() *selected {
	return &selected{token: make(chan struct{}, 1), done: make(chan struct{})}
}

func (s *selected) Inc() bool { // want `region 0 p0.token exclusive; .*write selected.n of p0 in 0 `
	select {
	case s.token <- struct{}{}:
	case <-s.done:
		return false
	}
	s.n++
	<-s.token
	return true
}

func (s *selected) IncInCase() { // want `region 0 p0.token exclusive; .*write selected.n of p0 in 0 `
	select {
	case s.token <- struct{}{}:
		s.n++
		<-s.token
	case <-s.done:
	}
}

// Package variables are locks as well.
var token = make(chan struct{}, 1)

var total int

// known: initializers of package variables are not seen
func Add(n int) { // want `: region 0 @chans#token exclusive; 0 write total of @chans#total in 0 `
	token <- struct{}{}
	total += n
	<-token
}

// waker wakes its loop up: its channel is no lock.
type waker struct {
	wake chan struct{}
	n    int
}

func newWaker() *waker { return &waker{wake: make(chan struct{}, 1)} }

func (w *waker) Notify() { // want `: 0 write waker.n of p0 pure`
	w.n++
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *waker) Loop() { // want `: 0 write waker.n of p0 pure`
	for range w.wake {
		w.n = 0
	}
}

// drained does both in one function, but without waiting.
type drained struct {
	wake chan struct{}
	n    int
}

func newDrained() *drained { return &drained{wake: make(chan struct{}, 1)} }

func (d *drained) Reset() { // want `: 0 write drained.n of p0 pure`
	select {
	case <-d.wake:
	default:
	}
	d.n = 0
	d.wake <- struct{}{}
}

// polled is taken and given back in one function, but also polled.
type polled struct {
	wake chan struct{}
	n    int
}

func newPolled() *polled { return &polled{wake: make(chan struct{}, 1)} }

func (p *polled) Notify() { // want `: $`
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *polled) Reset() { // want `: 0 write polled.n of p0 pure`
	p.wake <- struct{}{}
	p.n = 0
	<-p.wake
}

// unknown is made elsewhere: it may have any room.
type unknown struct {
	token chan struct{}
	n     int
}

func (u *unknown) Inc() { // want `: 0 write unknown.n of p0 pure`
	u.token <- struct{}{}
	u.n++
	<-u.token
}

// various has room for one or more.
type various struct {
	token chan struct{}
	n     int
}

func newSmall() *various { return &various{token: make(chan struct{}, 1)} }

func newLarge() *various { return &various{token: make(chan struct{}, 8)} }

func newAny(n int) *various { return &various{token: make(chan struct{}, n)} }

func (v *various) Inc() { // want `: 0 write various.n of p0 pure`
	v.token <- struct{}{}
	v.n++
	<-v.token
}

// pool has room for more than one.
type pool struct {
	slots chan struct{}
	n     int
}

func newPool() *pool { return &pool{slots: make(chan struct{}, 4)} }

func (p *pool) Inc() { // want `: 0 write pool.n of p0 pure`
	p.slots <- struct{}{}
	p.n++
	<-p.slots
}

// pipe hands values on: what is sent here is received elsewhere.
type pipe struct {
	values chan int
	n      int
}

func newPipe() *pipe { return &pipe{values: make(chan int, 1)} }

func (p *pipe) Send(v int) { // want `: 0 write pipe.n of p0 pure`
	p.n++
	p.values <- v
}

func (p *pipe) Receive() int { // want `: 0 write pipe.n of p0 pure`
	p.n--
	return <-p.values
}
