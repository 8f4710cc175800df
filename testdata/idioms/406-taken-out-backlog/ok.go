// Package ok tells watches about changes of a table.
package ok

import (
	"sync"
	"time"
)

// Change is one change.
type Change struct {
	Rev int64
	Key string
}

// Report is what a watch gets.
type Report struct {
	Watch   int64
	Changes []Change
	Rev     int64
}

type watch struct {
	id   int64
	key  string
	next int64
	// backlogged is set while the watch belongs to the backlog.
	backlogged bool
	gone       bool
	ch         chan<- Report
}

func (w *watch) send(r Report) bool {
	select {
	case w.ch <- r:
		return true
	default:
		return false
	}
}

// batch holds changes that could not be delivered yet.
type batch map[*watch][]Change

// Table is watched.
type Table struct {
	mu      sync.RWMutex
	rev     int64
	log     []Change
	behind  map[*watch]struct{}
	current map[*watch]struct{}
	backlog []batch
	ids     int64

	kick chan struct{}
	stop chan struct{}
}

// New returns a table.
func New() *Table {
	t := &Table{
		behind:  make(map[*watch]struct{}),
		current: make(map[*watch]struct{}),
		kick:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
	}
	go t.backlogLoop()
	return t
}

// Put changes a key.
func (t *Table) Put(key string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rev++
	c := Change{t.rev, key}
	t.log = append(t.log, c)

	var late batch
	for w := range t.current {
		if w.key != key {
			continue
		}
		w.next = t.rev + 1
		if !w.send(Report{w.id, []Change{c}, t.rev}) {
			if late == nil {
				late = make(batch)
			}
			late[w] = []Change{c}
			w.backlogged = true
			delete(t.current, w)
		}
	}
	if late != nil {
		t.backlog = append(t.backlog, late)
		t.poke()
	}
	return t.rev
}

func (t *Table) poke() {
	select {
	case t.kick <- struct{}{}:
	default:
	}
}

// Watch starts a watch; the function it returns ends it.
func (t *Table) Watch(key string, from int64, ch chan<- Report) (int64, func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ids++
	w := &watch{id: t.ids, key: key, next: from, ch: ch}
	if from > t.rev {
		t.current[w] = struct{}{}
	} else {
		t.behind[w] = struct{}{}
		t.catchUp()
	}
	return w.id, func() { t.cancel(w) }
}

// catchUp delivers what is in the log. The lock is held.
func (t *Table) catchUp() {
	for w := range t.behind {
		var cs []Change
		for _, c := range t.log {
			if c.Rev >= w.next && c.Key == w.key {
				cs = append(cs, c)
			}
		}
		delete(t.behind, w)
		w.next = t.rev + 1
		if len(cs) == 0 || w.send(Report{w.id, cs, t.rev}) {
			t.current[w] = struct{}{}
			continue
		}
		w.backlogged = true
		t.backlog = append(t.backlog, batch{w: cs})
		t.poke()
	}
}

func (t *Table) cancel(w *watch) {
	for {
		t.mu.Lock()
		if w.gone {
			break
		}
		if !w.backlogged {
			delete(t.behind, w)
			delete(t.current, w)
			break
		}
		found := false
		for _, b := range t.backlog {
			if _, ok := b[w]; ok {
				delete(b, w)
				found = true
				break
			}
		}
		if found {
			break
		}
		// The loop has it right now; try again.
		t.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	w.gone = true
	t.mu.Unlock()
}

func (t *Table) backlogLoop() {
	for {
		for t.moveBacklog() != 0 {
			// try to get rid of all of it
		}
		t.mu.RLock()
		empty := len(t.backlog) == 0
		t.mu.RUnlock()
		var tick <-chan time.Time
		if !empty {
			tick = time.After(10 * time.Millisecond)
		}
		select {
		case <-tick:
		case <-t.kick:
		case <-t.stop:
			return
		}
	}
}

// moveBacklog tries to deliver what is late.
func (t *Table) moveBacklog() (moved int) {
	t.mu.Lock()
	backlog := t.backlog
	t.backlog = nil
	t.mu.Unlock()

	var still batch
	for _, b := range backlog {
		for w, cs := range b {
			if w.send(Report{w.id, cs, w.next - 1}) {
				moved++
				continue
			}
			if still == nil {
				still = make(batch)
			}
			still[w] = cs
		}

		t.mu.Lock()
		for w := range b {
			if still[w] != nil {
				continue
			}
			w.backlogged = false
			t.behind[w] = struct{}{}
		}
		t.catchUp()
		t.mu.Unlock()
	}

	if len(still) > 0 {
		t.mu.Lock()
		t.backlog = append(t.backlog, still)
		t.mu.Unlock()
	}
	return moved
}

// Close ends the loop.
func (t *Table) Close() { close(t.stop) }
