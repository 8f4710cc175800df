package a

import (
	"errors"
	"sync"
)

var (
	errSelf  = errors.New("cellar: same tank")
	errSpace = errors.New("cellar: not enough space")
	errWine  = errors.New("cellar: not enough wine")
)

// Tank is a steel tank in a wine cellar.
type Tank struct {
	no  int
	cap int

	mu     sync.Mutex
	litres int
}

func NewTank(no, capacity int) *Tank { return &Tank{no: no, cap: capacity} }

func (t *Tank) space() int { return t.cap - t.litres }

func (t *Tank) drain(n int) { t.litres -= n }

func (t *Tank) fill(n int) { t.litres += n }

func lockBoth(a, b *Tank) (unlock func()) {
	if a.no > b.no {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	return func() {
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

// Pump moves wine between two tanks, all of it or none.
func Pump(from, to *Tank, n int) error {
	if from.no == to.no {
		return errSelf
	}
	defer lockBoth(from, to)()
	if to.space() < n {
		return errSpace
	}
	if from.litres < n {
		return errWine
	}
	from.drain(n)
	to.fill(n)
	return nil
}

// Press adds fresh must and tells what did not fit.
func (t *Tank) Press(n int) (rest int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := min(n, t.space())
	t.fill(in)
	return n - in
}

// Litres tells the content.
func (t *Tank) Litres() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.litres
}
