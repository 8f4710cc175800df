// Package logstale is the remark on logging a stale value, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Benign: Counter.Inc changes the counter in one critical section, and logs what it
// was then outside of it, and Counter.Log in a critical section of another lock.
// The number may be out of date when it is written to the log, but no more is said
// than what the counter was at that time, and nothing shared depends on it.
package logstale

import (
	"fmt"
	"sync"
)

// Log keeps its lines.
type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

type Counter struct {
	mu  sync.Mutex
	n   int
	log *Log
}

func (c *Counter) Inc() {
	c.mu.Lock()
	c.n++
	n := c.n
	c.mu.Unlock()
	c.log.Add(fmt.Sprint("incremented to ", n))
}

func (c *Counter) Log() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.log.Add(fmt.Sprint("at ", n))
}

func Run() {
	c := &Counter{log: &Log{}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(c.Inc)
		wg.Go(c.Log)
	}
	wg.Wait()
}
