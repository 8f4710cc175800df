package a

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Target is an endpoint to be scraped. It is not modified after discovery.
type Target struct {
	URL    string
	Labels map[string]string
}

// targetSet is an immutable set of targets; a change makes a new one.
type targetSet struct {
	version uint64
	byURL   map[string]*Target
	loops   map[string]*scrapeLoop
}

// scrapeLoop scrapes one target until it is stopped.
type scrapeLoop struct {
	target *Target
	stop   chan struct{}
	scrape func(*Target)
}

func (l *scrapeLoop) run(interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			l.scrape(l.target)
		}
	}
}

// scrapePool runs the loops of one job. Readers load the set once and work on
// what they got; mu is held by those who replace it.
type scrapePool struct {
	interval time.Duration
	scrape   func(*Target)

	mu      sync.Mutex
	stopped bool
	current atomic.Pointer[targetSet]
}

func newScrapePool(interval time.Duration, scrape func(*Target)) *scrapePool {
	sp := &scrapePool{interval: interval, scrape: scrape}
	sp.current.Store(&targetSet{byURL: map[string]*Target{}, loops: map[string]*scrapeLoop{}})
	return sp
}

// ActiveTargets lists the targets with the version of the set.
func (sp *scrapePool) ActiveTargets() ([]*Target, uint64) {
	set := sp.current.Load()
	out := make([]*Target, 0, len(set.byURL))
	for _, t := range set.byURL {
		out = append(out, t)
	}
	return out, set.version
}

// Has tells whether a URL is scraped at present.
func (sp *scrapePool) Has(url string) bool {
	_, ok := sp.current.Load().byURL[url]
	return ok
}

// Sync makes the given targets those of the pool. Loops of targets that stay
// go on.
func (sp *scrapePool) Sync(targets []*Target) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.stopped {
		return
	}
	old := sp.current.Load()
	next := &targetSet{
		version: old.version + 1,
		byURL:   make(map[string]*Target, len(targets)),
		loops:   make(map[string]*scrapeLoop, len(targets)),
	}
	for _, t := range targets {
		if _, dup := next.byURL[t.URL]; dup {
			continue
		}
		l, ok := old.loops[t.URL]
		if !ok || !maps.Equal(l.target.Labels, t.Labels) {
			l = &scrapeLoop{target: t, stop: make(chan struct{}), scrape: sp.scrape}
			go l.run(sp.interval)
		}
		next.byURL[t.URL] = l.target
		next.loops[t.URL] = l
	}
	sp.replace(old, next)
}

// replace publishes a set and stops the loops it has no longer. The caller
// holds sp.mu.
func (sp *scrapePool) replace(old, next *targetSet) {
	sp.current.Store(next)
	for url, l := range old.loops {
		if next.loops[url] != l {
			close(l.stop)
		}
	}
}

// Stop ends all loops.
func (sp *scrapePool) Stop() {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.stopped {
		return
	}
	sp.stopped = true
	old := sp.current.Load()
	sp.replace(old, &targetSet{version: old.version + 1})
}
