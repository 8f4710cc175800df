package deque

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestEachTaskOnce(t *testing.T) {
	d := &Deque{}
	var n atomic.Int32
	for range 100 {
		d.Put(func() { n.Add(1) })
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := &Worker{}
			for task := w.Steal(d); task != nil; task = w.Steal(d) {
				task()
			}
		})
	}
	wg.Wait()
	if n.Load() != 100 {
		t.Errorf("%d tasks were run, want 100", n.Load())
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
