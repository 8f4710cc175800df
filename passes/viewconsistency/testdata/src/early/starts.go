package early

import (
	"sync"
	"time"
)

type watch struct {
	id    string
	ended bool
	ready chan struct{}
}

// A Ward has the watches that are kept; each goes with a goroutine.
type Ward struct {
	mu      sync.Mutex
	watches map[string]*watch
	wait    func(id string) error
}

func NewWard(wait func(string) error) *Ward {
	return &Ward{watches: make(map[string]*watch), wait: wait}
}

func (w *Ward) add(x *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches[x.id] = x
}

func (w *Ward) get(id string) (*watch, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x, ok := w.watches[id]
	return x, ok
}

func (w *Ward) remove(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watches, id)
}

// finish drops the end of a watch that is not there.
func (w *Ward) finish(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x, ok := w.watches[id]
	if !ok {
		return
	}
	x.ended = true
}

func (w *Ward) run(id string) {
	w.wait(id)
	w.finish(id)
}

// Keep enters the watch when it may have ended.
func (w *Ward) Keep(id string) {
	go w.run(id)
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine that looks for it \(starts\.go:\d+\) was started at line \d+`
}

// KeepAsked does so, too: the literal asks a getter.
func (w *Ward) KeepAsked(id string) {
	go func() {
		w.wait(id)
		if x, ok := w.get(id); ok {
			w.mu.Lock()
			x.ended = true
			w.mu.Unlock()
		}
	}()
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine`
}

// begin starts the goroutine.
func (w *Ward) begin(id string) {
	if id == "" {
		return
	}
	go w.run(id)
}

// KeepBegun starts the goroutine by a callee.
func (w *Ward) KeepBegun(id string) {
	w.begin(id)
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine that looks for it \(starts\.go:\d+\) was started at line \d+`
}

// KeepFirst enters it first.
func (w *Ward) KeepFirst(id string) {
	w.add(&watch{id: id})
	w.begin(id)
}

// KeepReleased lets the goroutine go on when the watch is entered.
func (w *Ward) KeepReleased(id string) {
	ready := make(chan struct{})
	go func() {
		<-ready
		w.run(id)
	}()
	w.add(&watch{id: id})
	close(ready)
}

func (w *Ward) runReleased(x *watch) {
	<-x.ready
	w.run(x.id)
}

// KeepTold does so by a channel of the watch.
func (w *Ward) KeepTold(id string) {
	x := &watch{id: id, ready: make(chan struct{})}
	go w.runReleased(x)
	w.add(x)
	close(x.ready)
}

func (w *Ward) runGiven(id string, ready <-chan struct{}) {
	<-ready
	w.run(id)
}

// KeepGiven does so by an argument.
func (w *Ward) KeepGiven(id string) {
	ready := make(chan struct{})
	go w.runGiven(id, ready)
	w.add(&watch{id: id})
	close(ready)
}

// KeepSignaled gives the signal too early.
func (w *Ward) KeepSignaled(id string) {
	ready := make(chan struct{})
	go w.runGiven(id, ready)
	close(ready)
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine`
}

// Renew waits for the end of the goroutine.
func (w *Ward) Renew(id string) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		w.remove(id)
	}()
	wg.Wait()
	w.add(&watch{id: id})
}

// removeOld waits for the goroutine, too.
func (w *Ward) removeOld(id string) {
	done := make(chan struct{})
	go func() {
		w.remove(id)
		close(done)
	}()
	<-done
}

// RenewBy has a callee that waits.
func (w *Ward) RenewBy(id string) {
	w.removeOld(id)
	w.add(&watch{id: id})
}

// KeepFor has it removed after some time.
func (w *Ward) KeepFor(id string, ttl time.Duration) {
	go func() {
		time.Sleep(ttl)
		w.remove(id)
	}()
	w.add(&watch{id: id})
}

// KeepUntil has it removed then.
func (w *Ward) KeepUntil(id string, over <-chan time.Time) {
	go func() {
		<-over
		w.remove(id)
	}()
	w.add(&watch{id: id})
}

// enter enters the watch, and starts a goroutine that removes it.
func (w *Ward) enter(id string) {
	w.add(&watch{id: id})
	go w.run(id)
}

// KeepTwice enters it before, in the callee that starts the goroutine.
func (w *Ward) KeepTwice(id string) {
	w.enter(id)
	w.add(&watch{id: id})
}
