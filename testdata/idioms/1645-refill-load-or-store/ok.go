package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrUnknown   = errors.New("refill: unknown prescription")
	ErrExhausted = errors.New("refill: no refills left")
	ErrTooEarly  = errors.New("refill: too early")
)

type Refill struct {
	At    time.Time
	Clerk string
}

type prescription struct {
	mu      sync.Mutex
	left    int
	every   time.Duration
	history []Refill
}

type Desk struct {
	byID sync.Map // id -> *prescription; entries are never removed
}

func (d *Desk) find(id string) (*prescription, bool) {
	v, ok := d.byID.Load(id)
	if !ok {
		return nil, false
	}
	return v.(*prescription), true
}

// Import adds a prescription from the feed, which repeats itself; refills
// which are still open are never reduced by a repetition.
func (d *Desk) Import(id string, refills int, every time.Duration) {
	p, ok := d.find(id)
	if !ok {
		fresh := &prescription{left: refills, every: every}
		v, loaded := d.byID.LoadOrStore(id, fresh)
		if !loaded {
			return
		}
		p = v.(*prescription)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	granted := p.left + len(p.history)
	if refills > granted {
		p.left += refills - granted
	}
	p.every = every
}

func (d *Desk) Refill(id, clerk string, now time.Time) error {
	p, ok := d.find(id)
	if !ok {
		return ErrUnknown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 {
		return ErrExhausted
	}
	if n := len(p.history); n > 0 && now.Sub(p.history[n-1].At) < p.every {
		return ErrTooEarly
	}
	p.left--
	p.history = append(p.history, Refill{At: now, Clerk: clerk})
	return nil
}

func (d *Desk) Left(id string) (int, bool) {
	p, ok := d.find(id)
	if !ok {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left, true
}
