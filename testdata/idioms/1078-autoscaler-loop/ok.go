// Correct: the read of the current plan, the computation and the publication
// are separate critical sections, but only the one goroutine that New starts
// ever publishes a plan. Nothing can change the plan between its read and its
// write; the lock is there for the readers.
package autoscalerloop

import (
	"maps"
	"sync"
)

type sample struct {
	pool string
	load float64 // busy fraction over all replicas
}

type Plan struct {
	Generation int
	Replicas   map[string]int
}

// Autoscaler derives replica counts from load samples.
type Autoscaler struct {
	min, max int
	samples  chan sample
	quit     chan struct{}
	done     chan struct{}
	once     sync.Once

	mu   sync.RWMutex
	plan Plan
}

func New(least, most int) *Autoscaler {
	a := &Autoscaler{
		min:     max(least, 1),
		max:     most,
		samples: make(chan sample),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		plan:    Plan{Replicas: map[string]int{}},
	}
	go a.loop()
	return a
}

// Report hands in a sample; it is dropped once the autoscaler is stopped.
func (a *Autoscaler) Report(pool string, load float64) {
	select {
	case a.samples <- sample{pool: pool, load: load}:
	case <-a.quit:
	}
}

// Plan returns the plan in force. The caller must not change it.
func (a *Autoscaler) Plan() Plan {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.plan
}

// Replicas returns the replica count of one pool.
func (a *Autoscaler) Replicas(pool string) int {
	return a.Plan().Replicas[pool]
}

// Stop ends the loop and waits for it.
func (a *Autoscaler) Stop() {
	a.once.Do(func() { close(a.quit) })
	<-a.done
}

func (a *Autoscaler) loop() {
	defer close(a.done)
	for {
		select {
		case s := <-a.samples:
			a.adjust(s)
		case <-a.quit:
			return
		}
	}
}

func (a *Autoscaler) adjust(s sample) {
	cur := a.Plan()
	have := max(cur.Replicas[s.pool], a.min)
	want := have
	switch {
	case s.load > 0.8:
		want = min(have*2, a.max)
	case s.load < 0.3:
		want = max(have-1, a.min)
	}
	if want == cur.Replicas[s.pool] {
		return
	}
	next := Plan{Generation: cur.Generation + 1, Replicas: maps.Clone(cur.Replicas)}
	next.Replicas[s.pool] = want
	a.publish(next)
}

func (a *Autoscaler) publish(p Plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plan = p
}
