// Package boxes is the bounding box of ObjectDraw, from the paper about context
// and witness locks (Fig. 11).
//
// Box.Intersects holds its receiver and reads the other box with four getters,
// each of which locks that box for itself. Box.MoveTo of the other may come
// between X and Y: the corner then is of no place where the box ever was, and the
// two are said to intersect, though they never did.
package boxes

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Box struct {
	mu         sync.Mutex
	x, y, w, h int
}

func (b *Box) MoveTo(x, y int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y = x, y
}

func (b *Box) X() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x
}

func (b *Box) Y() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.y
}

func (b *Box) Width() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w
}

func (b *Box) Height() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.h
}

func (b *Box) Intersects(o *Box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := o.X()
	pause()
	y := o.Y()
	w := o.Width()
	h := o.Height()
	return x < b.x+b.w && b.x < x+w && y < b.y+b.h && b.y < y+h
}

// Only one of the two is ever the receiver: crosswise calls could deadlock.
func Run() {
	a := &Box{w: 10, h: 10}
	b := &Box{y: 20, w: 5, h: 5}
	var wg sync.WaitGroup
	wg.Go(func() { a.Intersects(b) })
	wg.Go(func() { a.Intersects(b) })
	wg.Go(func() { b.MoveTo(20, 0) })
	wg.Wait()
}
