// Package routines is a library that starts goroutines.
package routines

import "sync"

// Job is worked on by goroutines of its own.
type Job struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	x, y int //atomvet:set job
}

// set is one step.
func (j *Job) set(x, y int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.x = x
	j.y = y
}

func (j *Job) getX() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.x
}

func (j *Job) getY() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.y
}

// Start starts one that nobody waits for.
func (j *Job) Start() { go j.set(1, 2) }

// Apart reads in two sections what the goroutine writes in one.
func (j *Job) Apart() int { return j.getX() + j.getY() }

// Once reads in one.
func (j *Job) Once() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.x + j.y
}

// Loop is run by a goroutine.
type Loop struct {
	mu   sync.Mutex
	x, y int //atomvet:set loop
}

// NewLoop starts it.
func NewLoop() *Loop {
	l := new(Loop)
	go l.run()
	return l
}

// run is no unit: each of its sections is a step.
func (l *Loop) run() {
	for range 10 {
		l.mu.Lock()
		l.x++
		l.mu.Unlock()
		l.mu.Lock()
		l.y++
		l.mu.Unlock()
	}
}

// Sum is one step.
func (l *Loop) Sum() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.x + l.y
}

// Work is run by a goroutine, as a unit of work.
type Work struct {
	mu   sync.Mutex
	x, y int //atomvet:set work
}

// NewWork starts it.
func NewWork() *Work {
	w := new(Work)
	go w.run()
	return w
}

// run is a unit.
//
//atomvet:unit
func (w *Work) run() {
	w.mu.Lock()
	w.x++
	w.mu.Unlock()
	w.mu.Lock()
	w.y++ // want `^W\(a\) R'\(a\) R'\(b\) W\(b\): \(\*Work\)\.run is not .*, if \(\*Work\)\.Sum comes`
	w.mu.Unlock()
}

// Sum is one step.
func (w *Work) Sum() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.x + w.y
}
