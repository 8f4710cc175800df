package prom

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

// Group collects actors and runs them concurrently. When one actor returns, all
// actors are interrupted, in the order in which they were added.
type Group struct {
	actors []actor
}

type actor struct {
	execute   func() error
	interrupt func(error)
}

// Add an actor (function) to the group.
func (g *Group) Add(execute func() error, interrupt func(error)) {
	g.actors = append(g.actors, actor{execute, interrupt})
}

// Run all actors concurrently, and wait for all of them.
func (g *Group) Run() error {
	errs := make(chan error, len(g.actors))
	for _, a := range g.actors {
		go func(a actor) {
			errs <- a.execute()
		}(a)
	}
	// Wait for the first actor to stop.
	err := <-errs
	for _, a := range g.actors {
		a.interrupt(err)
	}
	// Wait for all actors to stop.
	for i := 1; i < cap(errs); i++ {
		<-errs
	}
	return err
}

var errClosed = errors.New("storage closed")

// localStorage is the time series database. Close can take minutes.
type localStorage struct {
	mtx    sync.RWMutex
	closed bool
	last   map[string]sample
}

type sample struct {
	t time.Time
	v float64
}

func (s *localStorage) Append(series string, t time.Time, v float64) error {
	s.mtx.Lock()
	defer s.mtx.Unlock()
	if s.closed {
		return errClosed
	}
	s.last[series] = sample{t, v}
	return nil
}

// Absent tells if there is no recent sample of the series.
func (s *localStorage) Absent(series string, now time.Time) (bool, error) {
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	if s.closed {
		return false, errClosed
	}
	smp, ok := s.last[series]
	return !ok || now.Sub(smp.t) > 5*time.Second, nil
}

func (s *localStorage) Close() error {
	s.mtx.Lock()
	s.closed = true
	s.mtx.Unlock()
	return nil
}

// scrapeManager writes a sample of each target in every interval.
type scrapeManager struct {
	targets   []string
	interval  time.Duration
	store     *localStorage
	graceShut chan struct{}
	stopped   chan struct{}
}

func (m *scrapeManager) Run() error {
	defer close(m.stopped)
	var wg sync.WaitGroup
	for _, t := range m.targets {
		wg.Add(1)
		go func(target string) {
			defer wg.Done()
			ticker := time.NewTicker(m.interval)
			defer ticker.Stop()
			for {
				select {
				case <-m.graceShut:
					return
				case now := <-ticker.C:
					if err := m.store.Append("up/"+target, now, 1); err != nil {
						log.Printf("append failed: %v", err)
					}
				}
			}
		}(t)
	}
	wg.Wait()
	return nil
}

// Stop waits until the last scrape has ended.
func (m *scrapeManager) Stop() {
	close(m.graceShut)
	<-m.stopped
}

// ruleManager evaluates the alerting rules.
type ruleManager struct {
	targets  []string
	interval time.Duration
	store    *localStorage
	notify   func(alert string)

	block      chan struct{}
	done       chan struct{}
	terminated chan struct{}
}

func newRuleManager(targets []string, interval time.Duration, store *localStorage, notify func(string)) *ruleManager {
	m := &ruleManager{
		targets:    targets,
		interval:   interval,
		store:      store,
		notify:     notify,
		block:      make(chan struct{}),
		done:       make(chan struct{}),
		terminated: make(chan struct{}),
	}
	go m.loop()
	return m
}

// Run starts the evaluation of the rules. It is blocking.
func (m *ruleManager) Run() {
	close(m.block)
	<-m.done
}

// Stop waits until the evaluation has stopped.
func (m *ruleManager) Stop() {
	close(m.done)
	<-m.terminated
}

func (m *ruleManager) loop() {
	defer close(m.terminated)
	select {
	case <-m.block:
	case <-m.done:
		return
	}
	ticker := time.NewTicker(m.interval)
	defer ticker.Stop()
	for {
		select {
		case <-m.done:
			return
		case now := <-ticker.C:
			m.eval(now)
		}
	}
}

func (m *ruleManager) eval(now time.Time) {
	for _, t := range m.targets {
		absent, err := m.store.Absent("up/"+t, now)
		if err != nil {
			log.Printf("rule evaluation failed: %v", err)
			continue
		}
		if absent {
			m.notify("TargetAbsent: " + t)
		}
	}
}

// Main runs until the context is done.
func Main(ctx context.Context, targets []string, notify func(alert string)) error {
	store := &localStorage{last: make(map[string]sample)}
	scrape := &scrapeManager{
		targets:   targets,
		interval:  time.Second,
		store:     store,
		graceShut: make(chan struct{}),
		stopped:   make(chan struct{}),
	}
	rules := newRuleManager(targets, time.Second, store, notify)

	var g Group
	{
		// Termination handler.
		cancel := make(chan struct{})
		g.Add(
			func() error {
				select {
				case <-ctx.Done():
				case <-cancel:
				}
				return nil
			},
			func(error) {
				close(cancel)
			},
		)
	}
	{
		// Scrape manager.
		g.Add(
			scrape.Run,
			func(error) {
				// Scrape manager needs to be stopped before closing the local TSDB
				// so that it doesn't try to write samples to a closed storage.
				log.Print("Stopping scrape manager...")
				scrape.Stop()
			},
		)
	}
	{
		// TSDB.
		cancel := make(chan struct{})
		g.Add(
			func() error {
				<-cancel
				return nil
			},
			func(error) {
				if err := store.Close(); err != nil {
					log.Printf("Error stopping storage: %v", err)
				}
				close(cancel)
			},
		)
	}
	{
		// Rule manager.
		g.Add(
			func() error {
				rules.Run()
				return nil
			},
			func(error) {
				rules.Stop()
			},
		)
	}
	return g.Run()
}
