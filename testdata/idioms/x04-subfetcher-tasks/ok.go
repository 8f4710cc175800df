// Package ok loads trie nodes ahead of their use.
package ok

import (
	"errors"
	"sync"
)

var errTerminated = errors.New("fetcher is already terminated")

type task struct {
	read bool
	key  string
}

// subfetcher loads the nodes of one trie.
type subfetcher struct {
	load func(key string) error

	tasks []task
	lock  sync.Mutex

	wake chan struct{} // Wake channel if a new task is scheduled
	stop chan struct{} // Channel to interrupt processing
	once sync.Once     // Closes stop
	term chan struct{} // Channel to signal interruption

	seen  map[string]bool // only used by the loop until term is closed
	dups  int
	fails int
}

func newSubfetcher(load func(string) error) *subfetcher {
	sf := &subfetcher{
		load: load,
		wake: make(chan struct{}, 1),
		stop: make(chan struct{}),
		term: make(chan struct{}),
		seen: make(map[string]bool),
	}
	go sf.loop()
	return sf
}

// schedule adds a batch of keys to the queue to prefetch.
func (sf *subfetcher) schedule(keys []string, read bool) error {
	// Ensure the subfetcher is still alive
	select {
	case <-sf.term:
		return errTerminated
	default:
	}
	// Append the tasks to the current queue
	sf.lock.Lock()
	for _, key := range keys {
		sf.tasks = append(sf.tasks, task{read: read, key: key})
	}
	sf.lock.Unlock()

	// Notify the background thread to execute scheduled tasks
	select {
	case sf.wake <- struct{}{}:
		// Wake signal sent
	default:
		// Wake signal not sent as a previous one is already queued
	}
	return nil
}

// terminate requests the subfetcher to stop and waits for it.
func (sf *subfetcher) terminate() int {
	sf.once.Do(func() { close(sf.stop) })
	<-sf.term
	return sf.dups
}

func (sf *subfetcher) loop() {
	defer close(sf.term)
	for {
		select {
		case <-sf.wake:
			// Execute all remaining tasks in a single run
			sf.lock.Lock()
			tasks := sf.tasks
			sf.tasks = nil
			sf.lock.Unlock()

			for _, t := range tasks {
				if sf.seen[t.key] {
					sf.dups++
					continue
				}
				if err := sf.load(t.key); err != nil {
					sf.fails++
				}
				sf.seen[t.key] = true
			}
		case <-sf.stop:
			// Termination is requested, abort if no more tasks are pending.
			sf.lock.Lock()
			done := sf.tasks == nil
			sf.lock.Unlock()
			if done {
				return
			}
			// Some tasks are pending, loop and pick them up: the wake branch
			// will be selected eventually, whilst stop remains closed.
		}
	}
}
