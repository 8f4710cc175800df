// Command order does the same before a goroutine is started and in it, or after the
// goroutine has ended, beside what runs at the same time.
package main

import "sync"

type early struct {
	mu sync.Mutex
	n  int
}

func (c *early) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *early) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

type late struct {
	mu sync.Mutex
	n  int
}

func (c *late) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *late) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

type ended struct {
	mu sync.Mutex
	n  int
}

func (c *ended) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *ended) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

type running struct {
	mu sync.Mutex
	n  int
}

func (c *running) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *running) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

var (
	before early
	beside late
	joined ended
	other  running
)

var wg, unrelated sync.WaitGroup

func main() {
	raise()
	go reload()
	go handle()
	both()
	wg.Add(1)
	go flush()
	unrelated.Add(1)
	go spill()
	stop()
	stopOther()
}

// raise runs before the goroutine, and then in it.
func raise() {
	before.set(before.get() + 1)
}

func reload() {
	for {
		raise()
	}
}

// both runs in the goroutine and after its start.
func both() {
	beside.set(beside.get() + 1) // want `lost-update: .*beside\.n was read at line \d+, .*`
}

func handle() {
	for {
		both()
	}
}

func flush() {
	defer wg.Done()
	joined.set(0)
}

// stop waits for the goroutine first.
func stop() {
	wg.Wait()
	last()
}

func last() {
	joined.set(joined.get() + 1)
}

func spill() {
	defer unrelated.Done()
	other.set(0)
}

// stopOther waits for another group.
func stopOther() {
	wg.Wait()
	other.set(other.get() + 1) // want `lost-update: .*other\.n was read at line \d+, .*`
}
