// Package boxes_encapsulated is the encapsulated bounding box of ObjectDraw, from
// the paper about context and witness locks (Fig. 11).
//
// Stylistic: Shape.Center and Shape.Grow pass the lock of the box several times
// while they hold the shape. But the box is made by NewShape, never leaves its
// shape, and is only used with the shape held, so nobody can come between. Its
// lock is of no use there.
package boxes_encapsulated

import "sync"

type box struct {
	mu         sync.Mutex
	x, y, w, h int
}

func (b *box) origin() (x, y int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x, b.y
}

func (b *box) size() (w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w, b.h
}

func (b *box) resize(w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.w, b.h = w, h
}

type Shape struct {
	mu     sync.Mutex
	bounds *box
}

func NewShape(x, y, w, h int) *Shape {
	return &Shape{bounds: &box{x: x, y: y, w: w, h: h}}
}

func (s *Shape) Center() (x, y int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, y = s.bounds.origin()
	w, h := s.bounds.size()
	return x + w/2, y + h/2
}

func (s *Shape) Grow(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, h := s.bounds.size()
	s.bounds.resize(w+n, h+n)
}

func Run() {
	s := NewShape(1, 1, 4, 4)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { s.Grow(2) })
		wg.Go(func() { s.Center() })
	}
	wg.Wait()
}
