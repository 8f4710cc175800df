package a

import (
	"context"
	"hash/fnv"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// RuleSet is one immutable revision of the flags.
type RuleSet struct {
	Revision int64
	Percent  map[string]uint32 // flag -> share of users, 0..100
}

// Listener is told about every revision, in order.
type Listener func(*RuleSet)

// Evaluator answers flag queries from the newest rule set.
type Evaluator struct {
	rules atomic.Pointer[RuleSet]

	mu        sync.Mutex // serialises revisions and their delivery
	listeners map[int]Listener
	nextID    int
}

func NewEvaluator() *Evaluator {
	e := &Evaluator{listeners: make(map[int]Listener)}
	e.rules.Store(&RuleSet{})
	return e
}

// Enabled reports whether the flag is on for the user.
func (e *Evaluator) Enabled(flag, user string) bool {
	pct, ok := e.rules.Load().Percent[flag]
	if !ok {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(flag + "/" + user))
	return h.Sum32()%100 < pct
}

// Apply installs a revision, unless a newer one is there.
func (e *Evaluator) Apply(rs *RuleSet) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rs.Revision <= e.rules.Load().Revision {
		return false
	}
	e.rules.Store(rs)
	for _, l := range e.listeners {
		l(rs)
	}
	return true
}

// Subscribe calls l with the rules in force and then with each later revision.
// The listener must not call back into the evaluator.
func (e *Evaluator) Subscribe(l Listener) (cancel func()) {
	e.mu.Lock()
	l(e.rules.Load())
	id := e.nextID
	e.nextID++
	e.listeners[id] = l
	e.mu.Unlock()

	return func() {
		e.mu.Lock()
		delete(e.listeners, id)
		e.mu.Unlock()
	}
}

// Poll fetches new revisions until ctx ends.
func (e *Evaluator) Poll(ctx context.Context, every time.Duration, fetch func(context.Context) (*RuleSet, error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			rs, err := fetch(ctx)
			if err != nil {
				log.Printf("flags: %v", err)
				continue
			}
			e.Apply(rs)
		}
	}
}
