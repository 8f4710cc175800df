// Package boxes_ok is the bounding box of ObjectDraw, from the paper about context
// and witness locks (Fig. 11), repaired.
//
// Box.Intersects reads the other box with one call of Bounds, so that all four
// values are of one moment.
package boxes_ok

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

func (b *Box) Bounds() (x, y, w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	x = b.x
	pause()
	return x, b.y, b.w, b.h
}

func (b *Box) Intersects(o *Box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	x, y, w, h := o.Bounds()
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
