package counted

import (
	"sync"
	"sync/atomic"
)

// An Atlas is replaced as a whole, and its file is closed by the last user.
type Atlas struct {
	users atomic.Int32
	done  chan struct{}
}

func (a *Atlas) retain() { a.users.Add(1) }

func (a *Atlas) release() {
	if a.users.Add(-1) == 0 {
		close(a.done)
	}
}

type Library struct {
	mu    sync.RWMutex
	atlas *Atlas
}

// Open counts when the atlas may be another one already.
func (l *Library) Open() *Atlas {
	l.mu.RLock()
	a := l.atlas
	l.mu.RUnlock()
	a.retain() // want `check-then-act: l.atlas was checked at line \d+, but l.mu was released at line \d+ and another goroutine may replace it, and end it as it counts no users, before this call of retain`
	return a
}

func (l *Library) OpenLocked() *Atlas {
	l.mu.RLock()
	defer l.mu.RUnlock()
	a := l.atlas
	a.retain()
	return a
}

func (l *Library) Replace(a *Atlas) {
	l.mu.Lock()
	old := l.atlas
	l.atlas = a
	l.mu.Unlock()
	old.release()
}

// A Reader has the atlas in an atomic pointer.
type Reader struct{ atlas atomic.Pointer[Atlas] }

func (r *Reader) Open() *Atlas {
	a := r.atlas.Load()
	if a != nil {
		a.retain() // want `check-then-act: r.atlas was checked at line \d+, but the atomic operations are separate and another goroutine may replace it, and end it`
	}
	return a
}

func (r *Reader) Replace(a *Atlas) {
	if old := r.atlas.Swap(a); old != nil {
		old.release()
	}
}

// A Guide counts only what has users.
type Guide struct{ plan atomic.Pointer[Plan] }

type Plan struct {
	users atomic.Int32
	done  chan struct{}
}

func (p *Plan) tryRetain() bool {
	for n := p.users.Load(); n > 0; n = p.users.Load() {
		if p.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

func (g *Guide) Open() *Plan {
	p := g.plan.Load()
	if p == nil || !p.tryRetain() {
		return nil
	}
	return p
}

func (g *Guide) Replace(p *Plan) {
	if old := g.plan.Swap(p); old != nil && old.users.Add(-1) == 0 {
		close(old.done)
	}
}

// A Hall has a picture that is replaced, and seen by many: views are only counted.
type Hall struct {
	mu      sync.Mutex
	picture *Picture
}

type Picture struct{ views atomic.Int64 }

func (f *Hall) Look() {
	f.mu.Lock()
	p := f.picture
	f.mu.Unlock()
	p.views.Add(1)
}

func (f *Hall) Hang(p *Picture) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.picture = p
}
