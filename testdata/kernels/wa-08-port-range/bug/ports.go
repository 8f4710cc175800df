package ports

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

var (
	ErrRange = errors.New("ports: bad range")
	ErrBusy  = errors.New("ports: no free port found")
)

// Allocator hands out ports at random from a range that the operator can
// change while connections are being made.
type Allocator struct {
	lo, hi atomic.Int32
	taken  sync.Map // port -> owner
}

// New returns an allocator for the ports lo to hi inclusive.
func New(lo, hi int32) (*Allocator, error) {
	a := new(Allocator)
	if err := a.SetRange(lo, hi); err != nil {
		return nil, err
	}
	return a, nil
}

// SetRange changes the range. Ports handed out before stay with their owners.
func (a *Allocator) SetRange(lo, hi int32) error {
	if lo < 1024 || hi > 65535 || lo > hi {
		return ErrRange
	}
	a.lo.Store(lo)
	a.hi.Store(hi)
	return nil
}

// Pick hands a port to owner.
func (a *Allocator) Pick(owner string) (int32, error) {
	for range 64 {
		lo, hi := a.lo.Load(), a.hi.Load()
		p := lo + rand.Int32N(hi-lo+1)
		if _, dup := a.taken.LoadOrStore(p, owner); !dup {
			return p, nil
		}
	}
	return 0, ErrBusy
}

// Release gives a port back.
func (a *Allocator) Release(p int32) {
	a.taken.Delete(p)
}

// Owner tells whose port p is.
func (a *Allocator) Owner(p int32) (string, bool) {
	v, ok := a.taken.Load(p)
	if !ok {
		return "", false
	}
	return v.(string), true
}
