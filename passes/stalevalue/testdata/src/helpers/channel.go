package helpers

// token is a lock that can be used in a select statement, too: a channel of capacity one, whose methods know nothing else.
type token chan struct{}

func newToken() token    { return make(token, 1) }
func (t token) acquire() { t <- struct{}{} }
func (t token) release() { <-t }

// A Fund has such a lock.
type Fund struct {
	lock   token
	units  int
	closed bool
}

func NewFund() *Fund { return &Fund{lock: newToken()} }

// Close takes what is left.
func (f *Fund) Close() int {
	f.lock.acquire()
	defer f.lock.release()
	left := f.units
	f.closed, f.units = true, 0
	return left
}

// Add is wrong: the fund may be closed in between.
func (f *Fund) Add(n int) bool {
	f.lock.acquire()
	closed := f.closed
	f.lock.release()
	if closed {
		return false
	}
	f.lock.acquire()
	f.units += n // want `f\.closed was checked at line \d+, but f\.lock was released`
	f.lock.release()
	return true
}

// AddInOne is right.
func (f *Fund) AddInOne(n int) bool {
	f.lock.acquire()
	defer f.lock.release()
	if f.closed {
		return false
	}
	f.units += n
	return true
}

// A Till has a channel without a name of its own, which a function makes.
type Till struct {
	lock   chan struct{}
	cash   int
	closed bool
}

func newLock() chan struct{} { return make(chan struct{}, 1) }

func NewTill() *Till { return &Till{lock: newLock()} }

func (t *Till) Close() {
	t.lock <- struct{}{}
	t.closed, t.cash = true, 0
	<-t.lock
}

func (t *Till) Add(n int) bool {
	t.lock <- struct{}{}
	closed := t.closed
	<-t.lock
	if closed {
		return false
	}
	t.lock <- struct{}{}
	t.cash += n // want `t\.closed was checked at line \d+, but t\.lock was released`
	<-t.lock
	return true
}

// A permit is made in two sizes: it is no lock.
type permit chan struct{}

func (p permit) acquire() { p <- struct{}{} }
func (p permit) release() { <-p }

// A Hall has permits for several.
type Hall struct {
	seats permit
	doors permit
	n     int
}

func NewHall() *Hall { return &Hall{seats: make(permit, 8), doors: make(permit, 1)} }

func (h *Hall) Enter() {
	h.doors.acquire()
	h.n++
	h.doors.release()
	h.seats.acquire()
	h.n++
	h.seats.release()
}

// A Bin has two locks of one type: the one that Empty holds is not that of the others.
type Bin struct {
	inner, outer token
	items        int
	closed       bool
}

func NewBin() *Bin { return &Bin{inner: newToken(), outer: newToken()} }

func (b *Bin) Empty() {
	b.outer.acquire()
	defer b.outer.release()
	b.inner.acquire()
	defer b.inner.release()
	b.closed, b.items = true, 0
}

func (b *Bin) Add() bool {
	b.inner.acquire()
	closed := b.closed
	b.inner.release()
	if closed {
		return false
	}
	b.inner.acquire()
	b.items++ // want `b\.closed was checked at line \d+, but b\.inner was released`
	b.inner.release()
	return true
}

// AddAlone keeps Empty out.
func (b *Bin) AddAlone() bool {
	b.outer.acquire()
	defer b.outer.release()
	b.inner.acquire()
	closed := b.closed
	b.inner.release()
	if closed {
		return false
	}
	b.inner.acquire()
	b.items++
	b.inner.release()
	return true
}
