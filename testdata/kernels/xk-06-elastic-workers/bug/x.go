// Package bug runs jobs on as many goroutines as the load asks for.
package bug

import (
	"sync"
	"time"
)

// Group runs jobs on up to max workers, which leave after linger without work.
type Group struct {
	max    int
	linger time.Duration
	wake   chan struct{}

	mu      sync.Mutex
	queue   []func()
	workers int
	idle    int
	done    int64
}

func NewGroup(max int, linger time.Duration) *Group {
	return &Group{max: max, linger: linger, wake: make(chan struct{}, max)}
}

// Go queues job.
func (g *Group) Go(job func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(g.queue, job)
	if len(g.queue) > g.idle && g.workers < g.max {
		g.workers++
		go g.run()
		return
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func (g *Group) run() {
	for {
		if job := g.take(); job != nil {
			job()
			g.finished()
			continue
		}
		if !g.await() {
			return
		}
	}
}

// take returns the next job; without one the worker counts as idle.
func (g *Group) take() func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.queue) == 0 {
		g.idle++
		return nil
	}
	job := g.queue[0]
	g.queue[0] = nil
	g.queue = g.queue[1:]
	return job
}

// await parks an idle worker; false means that it has left the group.
func (g *Group) await() bool {
	t := time.NewTimer(g.linger)
	defer t.Stop()
	select {
	case <-g.wake:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.idle--
		return true
	case <-t.C:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.idle--
		g.workers--
		return false
	}
}

func (g *Group) finished() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
}

// Stats returns the numbers of workers, queued jobs and finished jobs.
func (g *Group) Stats() (workers, queued int, done int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.workers, len(g.queue), g.done
}
