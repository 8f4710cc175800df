package syncmap

import "sync"

// What is loaded and deleted has one owner only if that is one operation.

type hub struct {
	replies sync.Map // string -> chan int
	known   sync.Map // string -> bool
}

func (h *hub) ask(k string) chan int {
	ch := make(chan int, 1)
	h.replies.Store(k, ch)
	return ch
}

func (h *hub) answer(k string, n int) {
	v, ok := h.replies.Load(k)
	if !ok {
		return
	}
	h.replies.Delete(k) // want `check-then-act: h\.replies\[k\] was checked at line \d+`
	ch := v.(chan int)
	out := func(n int) { ch <- n }
	if n > 0 {
		out(2 * n)
	} else {
		out(n)
	}
}

func (h *hub) take(k string) chan int {
	v, ok := h.replies.Load(k)
	if !ok {
		return nil
	}
	h.replies.Delete(k) // want `check-then-act: h\.replies\[k\] was checked at line \d+`
	return v.(chan int)
}

func (h *hub) takeAtOnce(k string) chan int {
	if v, ok := h.replies.LoadAndDelete(k); ok {
		return v.(chan int)
	}
	return nil
}

func (h *hub) learn(k string) { h.known.Store(k, true) }

func (h *hub) forget(k string) bool {
	_, ok := h.known.Load(k)
	if ok {
		h.known.Delete(k) // nothing is done with what was there
	}
	return ok
}

// All who remove from the table hold a lock of theirs: there is no rival that removes.
type table struct {
	mu    sync.Mutex
	lock  sync.Mutex // of all who remove
	seats map[string]*session
}

func (t *table) find(k string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seats[k]
}

func (t *table) Sit(k string, s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seats[k] == nil {
		t.seats[k] = s
	}
}

func (t *table) Leave(k string) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	s := t.find(k)
	if s == nil {
		return ""
	}
	t.mu.Lock()
	delete(t.seats, k)
	t.mu.Unlock()
	return s.user
}

// A Desk gives a place to the one who came last. Who leaves only removes itself: that the removal fails, as another one has
// come, loses nothing.
type Desk struct{ seats sync.Map }

func (d *Desk) Sit(k string, by *int) { d.seats.Store(k, by) }

func (d *Desk) Leave(k string, by *int) {
	if at, ok := d.seats.Load(k); ok && at == any(by) {
		d.seats.CompareAndDelete(k, by)
	}
}
