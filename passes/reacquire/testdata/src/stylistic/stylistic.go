// Package stylistic has inner locks of which those outside are the better ones.
// The flag -stylistic reports them.
package stylistic

import "sync"

// ObjectDraw: the bounding box is the shape's own.

type box struct {
	mu         sync.Mutex
	x, y, w, h int
}

func (b *box) place() (x, y int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x, b.y
}

func (b *box) size() (w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w, b.h
}

func (b *box) reshape(x, y, w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y, b.w, b.h = x, y, w, h
}

type Shape struct {
	mu     sync.Mutex
	bounds *box
	fill   bool
}

func NewShape(x, y, w, h int) *Shape {
	s := &Shape{bounds: new(box)}
	s.bounds.reshape(x, y, w, h)
	return s
}

func (s *Shape) Resize(x, y, w, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bounds.reshape(x, y, w, h)
}

func (s *Shape) Contains(x, y int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	bx, by := s.bounds.place()
	w, h := s.bounds.size() // want `stylistic: s\.bounds\.mu is taken again here, after line 53, in one critical section of s\.mu, which protects all that it does$`
	return bx <= x && x < bx+w && by <= y && y < by+h
}

// Jose: a buffer of its own.

type buffer struct {
	mu   sync.Mutex
	data []byte
}

func (b *buffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data)
}

func (b *buffer) write(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p...)
}

func (b *buffer) truncate(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = b.data[:n]
}

type Writer struct {
	mu  sync.Mutex
	buf buffer
	max int
}

func (w *Writer) Write(p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.write(p)
	if n := w.buf.length(); n > w.max {
		w.buf.truncate(n - w.max) // want `stylistic: w\.buf\.mu is taken again here, after line 93, in one critical section of w\.mu, which protects all that it does$`
	}
}

// One that others get to see is another matter: this is no matter of style.

type queue struct {
	mu   sync.Mutex
	jobs []int
}

func (q *queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

func (q *queue) Push(j int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
}

func (q *queue) Cut(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = q.jobs[:n]
}

type Open struct {
	mu   sync.Mutex
	jobs *queue
	max  int
}

func (o *Open) Jobs() *queue { return o.jobs }

func (o *Open) Trim() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := o.jobs.Len(); n > o.max {
		o.jobs.Cut(n - o.max) // want `reacquire: o\.jobs\.mu is taken again here, after line 134, in one critical section of o\.mu; what the first passage reads of o\.jobs\.jobs may be changed in between by \(\*queue\)\.Push`
	}
}
