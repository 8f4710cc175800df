package drained

import "sync/atomic"

// A Window admits a number of units in each period.
type Window struct {
	start, used atomic.Int64
	period      int64
}

// roll sets the count to zero when others count by the new start already.
func (w *Window) roll(now int64) {
	if start := w.start.Load(); now-start >= w.period && w.start.CompareAndSwap(start, now) {
		w.used.Store(0) // want `w.start was changed at line \d+, but .* what another goroutine, which finds it changed, adds to w.used before this write sets it to zero is lost`
	}
}

func (w *Window) Take(now, n, most int64) bool {
	w.roll(now)
	if now-w.start.Load() >= w.period {
		return false
	}
	return w.used.Add(n) <= most
}

// A Slot has the two in one object, which is replaced as a whole.
type Slot struct {
	cur    atomic.Pointer[slot]
	period int64
}

type slot struct {
	start int64
	used  atomic.Int64
}

func (s *Slot) Take(now, n, most int64) bool {
	for {
		c := s.cur.Load()
		if now-c.start < s.period {
			return c.used.Add(n) <= most
		}
		s.cur.CompareAndSwap(c, &slot{start: now})
	}
}

// A Lull counts what it has not said, and takes the number out when it says something.
type Lull struct {
	last, silent atomic.Int64
}

func (l *Lull) Say(now int64, say func(int64)) {
	last := l.last.Load()
	if now-last < 10 {
		l.silent.Add(1)
		return
	}
	if l.last.CompareAndSwap(last, now) {
		say(l.silent.Swap(0))
	}
}
