package writes

import (
	"sync"
	"testing"
	"time"
)

// both runs the unit while the rival runs again and again.
func both(unit, rival func()) {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				rival()
			}
		}
	})
	wg.Go(func() {
		for range 5 {
			func() {
				defer func() { recover() }()
				unit()
			}()
			time.Sleep(2 * time.Millisecond)
		}
		close(done)
	})
	wg.Wait()
}

func TestAlias(t *testing.T) {
	for _, k := range []string{"a", "b", "c"} {
		a := &Alias{m: map[string]int{}}
		both(func() { a.Add(k, 1); delete(a.m, k) }, func() { a.Rival(k) })
	}
}

func TestWhole(t *testing.T) {
	w := new(Whole)
	both(func() {
		w.mu.Lock()
		w.state.n, w.state.max = 0, 10
		w.mu.Unlock()
		w.Add()
	}, w.Rival)
}

func TestBehind(t *testing.T) {
	b := &Behind{m: map[string]*count{"a": {max: 1000}}}
	both(func() { b.Add("a") }, func() { b.Rival("a") })
}

func TestMethod(t *testing.T) {
	m := new(Method)
	both(func() {
		m.mu.Lock()
		m.l.PushBack(1)
		m.mu.Unlock()
		m.First()
	}, m.Rival)
}

func TestGeneric(t *testing.T) {
	g := &Generic[string, int]{m: map[string]int{}}
	both(func() {
		g.mu.Lock()
		delete(g.m, "a")
		g.mu.Unlock()
		g.GetOrAdd("a", func() int { return 1 })
	}, func() { g.Rival("a", 2) })
}

func TestReads(t *testing.T) {
	r := new(Reads)
	both(r.Add, func() { r.Rival() })
}

func TestOnce(t *testing.T) {
	for range 5 {
		o := &Once{done: make(chan struct{})}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				defer func() { recover() }()
				o.Close()
			})
		}
		wg.Wait()
	}
}
