package keys

import (
	"sync"
	"time"
)

type visitor struct {
	mu   sync.Mutex
	last time.Time
	out  bool
}

func (v *visitor) touch(now time.Time) {
	v.mu.Lock()
	v.last = now
	v.mu.Unlock()
}

// idle only looks.
func (v *visitor) idle(since time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last.Before(since)
}

// expire marks a visitor that is idle, so that nobody goes on with it.
func (v *visitor) expire(since time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.last.Before(since) {
		return false
	}
	v.out = true
	return true
}

// enter goes on with a visitor that was not marked.
func (v *visitor) enter(now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.out {
		return false
	}
	v.last = now
	return true
}

// A Porter forgets visitors that were away for long.
type Porter struct{ visitors sync.Map }

func (p *Porter) See(name string, now time.Time) {
	v, _ := p.visitors.LoadOrStore(name, &visitor{last: now})
	v.(*visitor).touch(now)
}

func (p *Porter) Sweep(since time.Time) {
	p.visitors.Range(func(name, v any) bool {
		if v.(*visitor).idle(since) {
			p.visitors.Delete(name) // want `p\.visitors\[.*\]\.last was checked at line \d+, but .* another goroutine may change it before this write of p\.visitors\[name\]`
		}
		return true
	})
}

// A Warden marks those whom it forgets.
type Warden struct{ visitors sync.Map }

func (w *Warden) See(name string, now time.Time) {
	for {
		v, _ := w.visitors.LoadOrStore(name, &visitor{last: now})
		if v.(*visitor).enter(now) {
			return
		}
		w.visitors.CompareAndDelete(name, v)
	}
}

func (w *Warden) Sweep(since time.Time) {
	w.visitors.Range(func(name, v any) bool {
		if v.(*visitor).expire(since) {
			w.visitors.CompareAndDelete(name, v)
		}
		return true
	})
}
