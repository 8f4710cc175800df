// Package fix has sections that can be merged, and others.
package fix

import (
	"log"
	"sync"
)

type rect struct {
	mu   sync.RWMutex
	w, h int
	log  []string
}

func (r *rect) Resize(w, h int) {
	r.mu.Lock()
	r.w, r.h = w, h
	r.mu.Unlock()
}

func (r *rect) size() (int, int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.w, r.h
}

// One right after the other.
func (r *rect) Area() int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 30 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

// Local code in between, and a comment.
func (r *rect) Scaled(n int) int {
	r.mu.RLock()
	w := r.w
	r.mu.RUnlock()

	w *= n
	// The other one.
	area := float64(w)
	r.mu.RLock()
	area *= float64(r.h) // want `split-read: r\.w at line 41 and r\.h here are read apart, in separate critical sections`
	r.mu.RUnlock()
	return int(area)
}

// The second section goes on to the end.
func (r *rect) Ratio() float64 {
	r.mu.RLock()
	w := float64(r.w)
	r.mu.RUnlock()
	r.mu.RLock()
	defer r.mu.RUnlock()
	return w / float64(r.h) // want `split-read: r\.w at line 56 and r\.h here are read apart, in separate critical sections`
}

// Written apart.
func (r *rect) Fold() {
	r.mu.Lock()
	r.w = 0
	r.mu.Unlock()
	r.mu.Lock()
	r.h = 0 // want `split-write: r\.w at line 66 and r\.h here are written apart, in separate critical sections`
	r.mu.Unlock()
}

// In a loop.
func (r *rect) Poll(out chan<- int) {
	for {
		r.mu.RLock()
		w := r.w
		r.mu.RUnlock()
		r.mu.RLock()
		h := r.h // want `split-read: r\.w at line 77 and r\.h here are read apart, in separate critical sections`
		r.mu.RUnlock()
		out <- w * h
	}
}

// In the branches of a switch.
func (r *rect) Which(n int) int {
	var w int
	switch n {
	case 0:
		r.mu.RLock()
		w = r.w
		r.mu.RUnlock()
		r.mu.RLock()
		w += r.h // want `split-read: r\.w at line 92 and r\.h here are read apart, in separate critical sections`
		r.mu.RUnlock()
	}
	return w
}

// In a clause.
func (r *rect) Size(n int) int {
	r.mu.Lock()
	w := r.w
	switch {
	case n > 0:
	default:
		r.mu.Unlock()
		r.mu.Lock()
		w += r.h // want `split-read: r\.w at line 104 and r\.h here are read apart, in separate critical sections`
	}
	r.mu.Unlock()
	return w
}

// Another way leaves with the lock given up.
func (r *rect) Early(early bool) int {
	r.mu.Lock()
	w := r.w
	if early {
		r.mu.Unlock()
		return w
	}
	r.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return w * r.h // want `split-read: r\.w at line 119 and r\.h here are read apart, in separate critical sections`
}

// Comments on the lines stay.
func (r *rect) Commented() int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock() // let others in
	r.mu.Lock()   // and go on
	h := r.h      // want `split-read: r\.w at line 133 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

// Nothing is merged where one of the two shares its line, or both do.
func (r *rect) Tall() bool {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	if r.mu.Lock(); r.h > w { // want `split-read: r\.w at line 144 and r\.h here are read apart, in separate critical sections`
		w = 0
	}
	r.mu.Unlock()
	return w == 0
}

// diff returns with the lock held.
func (p *pair) diff() int { p.Lock(); a := p.a; p.Unlock(); p.Lock(); return p.b - a } // want `split-read: p\.a at line 154 and p\.b here are read apart, in separate critical sections`

func (p *pair) Diff() int {
	defer p.Unlock()
	return p.diff()
}

type pair struct {
	sync.Mutex
	a, b int
}

func (p *pair) Set(a, b int) {
	p.Lock()
	p.a, p.b = a, b
	p.Unlock()
}

// None of these can be merged without a thought.

func (r *rect) Call(wait func()) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	wait()
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 176 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Logged() int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	log.Print("half of it")
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 187 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Receive(ch <-chan int) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	n := <-ch
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 198 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h * n
}

func (r *rect) Send(ch chan<- int) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	ch <- 1
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 209 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Go(f func()) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	go f()
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 220 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Store(to *rect) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	to.log = nil
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 231 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Branch(n int) int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	if n > 0 {
		log.Print("more of it")
	}
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 242 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Mixed() int {
	r.mu.RLock()
	w := r.w
	r.mu.RUnlock()
	r.mu.Lock()
	h := r.h // want `split-read: r\.w at line 255 and r\.h here are read apart, in separate critical sections`
	r.mu.Unlock()
	return w * h
}

func (r *rect) Deferred() int {
	w := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.w
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	return w * r.h // want `split-read: r\.w at line 268 and r\.h here are read apart, in separate critical sections`
}

func (r *rect) width() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.w
}

func (r *rect) height() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.h
}

func (r *rect) Calls() int {
	return r.width() * r.height() // want `split-read: r\.w at line 287 and r\.h here are read apart, in separate critical sections`
}

// Different locks.

type part struct {
	mu sync.Mutex
	n  int
}

type edge struct {
	mu sync.Mutex
	n  int
}

type shape struct {
	mu   sync.Mutex
	body part
	rim  edge
	gen  int
}

func (s *shape) Set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen++
	s.body.mu.Lock()
	s.body.n = n
	s.body.mu.Unlock()
	s.rim.mu.Lock()
	s.rim.n = n
	s.rim.mu.Unlock()
}

func (s *shape) Sum() int {
	s.body.mu.Lock()
	n := s.body.n
	s.body.mu.Unlock()
	s.rim.mu.Lock()
	defer s.rim.mu.Unlock()
	return n + s.rim.n // want `split-read: s\.body\.n at line 323 and s\.rim\.n here are read apart, in separate critical sections`
}
