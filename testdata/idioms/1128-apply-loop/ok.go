// Correct: only the loop goroutine, started once by New, ever writes the
// offsets and the position. What it has read cannot change before it writes;
// the locks are for the readers.

// Package ok applies a consumer group's commit log to its offsets.
package ok

import (
	"sync"
	"sync/atomic"
)

// Partition is one partition of a topic.
type Partition struct {
	Topic string
	Num   int
}

// Commit is a consumer's progress.
type Commit struct {
	Partition Partition
	Offset    int64
	Metadata  string
}

type state struct {
	offset  int64
	commits int
	meta    string
}

// Group is the committed state of a consumer group.
type Group struct {
	in   chan Commit
	done chan struct{}

	mu         sync.RWMutex
	partitions map[Partition]state

	position atomic.Int64
	stale    atomic.Int64
}

// New starts the group; the caller closes in to end it.
func New(in chan Commit) *Group {
	g := &Group{in: in, done: make(chan struct{}), partitions: make(map[Partition]state)}
	go g.loop()
	return g
}

// Offset is the committed offset of a partition.
func (g *Group) Offset(p Partition) (int64, bool) {
	st, ok := g.get(p)
	return st.offset, ok
}

// Position is the number of commits seen.
func (g *Group) Position() int64 { return g.position.Load() }

// Stale is the number of commits that went backwards.
func (g *Group) Stale() int64 { return g.stale.Load() }

// Wait returns when the input has ended and all of it is applied.
func (g *Group) Wait() { <-g.done }

func (g *Group) get(p Partition) (state, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st, ok := g.partitions[p]
	return st, ok
}

func (g *Group) put(p Partition, st state) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.partitions[p] = st
}

func (g *Group) apply(c Commit) {
	st, ok := g.get(c.Partition)
	if ok && c.Offset < st.offset {
		g.stale.Store(g.stale.Load() + 1)
		return
	}
	st.offset = c.Offset
	st.meta = c.Metadata
	st.commits++
	g.put(c.Partition, st)
}

func (g *Group) loop() {
	defer close(g.done)
	for c := range g.in {
		g.apply(c)
		g.position.Store(g.position.Load() + 1)
	}
}
