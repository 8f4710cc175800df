// Package progress_ok is the progress of Arbaro, from the paper about context and
// witness locks (Fig. 11), repaired.
//
// Exporter.Step leaves the comparison to Progress.AtLeast, which compares and sets
// in one critical section.
package progress_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// Progress tells the user how far the work is. It never goes back.
type Progress struct {
	mu  sync.Mutex
	cur int
}

func (p *Progress) Current() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cur
}

func (p *Progress) AtLeast(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cur < n {
		pause()
		p.cur = n
	}
}

type Exporter struct {
	mu       sync.Mutex
	done     int
	progress *Progress
}

func (e *Exporter) Step(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done += n
	e.progress.AtLeast(e.done)
}

func Run() {
	p := &Progress{}
	var wg sync.WaitGroup
	for range 2 {
		e := &Exporter{progress: p}
		wg.Go(func() {
			for range 10 {
				e.Step(5)
			}
		})
	}
	wg.Wait()
	p.Current()
}
