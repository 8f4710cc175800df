package mechanisms

import (
	"sync/atomic"
	"time"
)

type lamport struct {
	time  atomic.Uint64
	turns atomic.Uint64
	seen  atomic.Int64
	owner atomic.Pointer[lamport]
}

func (l *lamport) Tick() uint64 { return l.time.Add(1) }

// Witness forgets t if somebody ticks in between.
func (l *lamport) Witness(t uint64) {
	cur := l.time.Load()
	if t < cur {
		return
	}
	l.time.CompareAndSwap(cur, t+1) // want `check-then-act: l\.time was checked at line \d+, but the atomic operations are separate and if another goroutine has changed it, this write fails, and what it should store is lost`
}

// Meet tries until the clock is ahead.
func (l *lamport) Meet(t uint64) {
	for {
		cur := l.time.Load()
		if t < cur || l.time.CompareAndSwap(cur, t+1) {
			return
		}
	}
}

func (l *lamport) Turn() {
	n := l.turns.Load()
	l.turns.CompareAndSwap(n, n+1) // want `lost-update: l\.turns was read`
}

// Touch need not succeed: whoever came first has stored the time.
func (l *lamport) Touch() {
	last := l.seen.Load()
	if now := time.Now().Unix(); now > last+10 {
		l.seen.CompareAndSwap(last, now)
	}
}

// Adopt sets the first owner.
func (l *lamport) Adopt(o *lamport) {
	if l.owner.Load() == nil {
		l.owner.CompareAndSwap(nil, o)
	}
}

func (l *lamport) Leave() { l.owner.Store(nil) }
