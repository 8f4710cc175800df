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

// KeepMade has a goroutine that enters one itself.
func (w *Ward) KeepMade(id string) {
	go func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.watches[id] == nil {
			w.watches[id] = &watch{id: id}
		}
	}()
	w.add(&watch{id: id})
}

// poll looks until the watch is there.
func (w *Ward) poll(id string) {
	for {
		if x, ok := w.get(id); ok {
			w.wait(x.id)
			return
		}
		time.Sleep(0)
	}
}

// KeepPolled has a goroutine that does so.
func (w *Ward) KeepPolled(id string) {
	go w.poll(id)
	w.add(&watch{id: id})
}

// KeepSelected goes on without the signal.
func (w *Ward) KeepSelected(id string, stop <-chan struct{}) {
	ready := make(chan struct{})
	go func() {
		select {
		case <-ready:
		case <-stop:
		}
		w.remove(id)
	}()
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine`
	close(ready)
}

// KeepOther waits for the end of another watch.
func (w *Ward) KeepOther(id string, last *watch) {
	x := &watch{id: id, ready: make(chan struct{})}
	go func() {
		<-last.ready
		w.remove(id)
	}()
	w.add(x) // want `early-signal: w\.watches\[x\.id\] is entered here, after the goroutine|early-signal: w\.watches\[id\] is entered here`
	close(x.ready)
}

// KeepWaited waits on one path only.
func (w *Ward) KeepWaited(id string, fast bool) {
	done := make(chan struct{})
	go func() {
		w.remove(id)
		close(done)
	}()
	if !fast {
		<-done
	}
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine`
}

// beginGiven starts the goroutine with a channel that it is given.
func (w *Ward) beginGiven(id string, ready chan struct{}) { go w.runGiven(id, ready) }

// KeepBegunGiven releases what a callee has started.
func (w *Ward) KeepBegunGiven(id string) {
	ready := make(chan struct{})
	w.beginGiven(id, ready)
	w.add(&watch{id: id})
	close(ready)
}

// KeepAnew removes the former one first.
func (w *Ward) KeepAnew(id string) {
	w.remove(id)
	go w.run(id)
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine` `split-write: w\.watches\[id\] is written here after it was removed`
}

// handle starts a goroutine that removes the watch when it is told so.
func (w *Ward) handle(id string) *watch {
	x := &watch{id: id, ready: make(chan struct{})}
	go func() {
		<-x.ready
		w.remove(id)
	}()
	return x
}

// KeepHandled enters the watch by which others tell the goroutine.
func (w *Ward) KeepHandled(id string) {
	x := w.handle(id)
	w.mu.Lock()
	w.watches[id] = x // want `early-signal: w\.watches\[id\] is entered here, after the goroutine that looks for it .* \[medium confidence: the goroutine waits first, and what for is not known\]`
	w.mu.Unlock()
}

// KeepInGroup starts the goroutine by a group.
func (w *Ward) KeepInGroup(wg *sync.WaitGroup, id string) {
	wg.Go(func() { w.run(id) })
	w.add(&watch{id: id}) // want `early-signal: w\.watches\[id\] is entered here, after the goroutine that looks for it`
}

// RenewInGroup waits for the group.
func (w *Ward) RenewInGroup(id string) {
	var wg sync.WaitGroup
	wg.Go(func() { w.remove(id) })
	wg.Wait()
	w.add(&watch{id: id})
}

// RenewInOther waits for the group in a callee.
func (w *Ward) RenewInOther(id string) {
	w.removeInGroup(id)
	w.add(&watch{id: id})
}

func (w *Ward) removeInGroup(id string) {
	var wg sync.WaitGroup
	wg.Go(func() { w.remove(id) })
	wg.Wait()
}
