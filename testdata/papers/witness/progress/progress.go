// Package progress is the progress of Arbaro, from the paper about context and
// witness locks (Fig. 11).
//
// Exporter.Step holds the exporter, asks the progress how far it is, and sets it
// if that is less than what is done. The progress is only locked within each of the
// two calls, and another exporter has one as well: if its Step sets a larger value in
// between, the smaller one is set over it, and the progress goes back.
package progress

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

func (p *Progress) Set(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cur = n
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
	if e.progress.Current() < e.done {
		pause()
		e.progress.Set(e.done)
	}
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
