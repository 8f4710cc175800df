package retrieval

import (
	"context"
	"sync"
	"time"
)

// SampleAppender takes the scraped samples.
type SampleAppender interface {
	Append(target string, at time.Time, value float64)
}

// scrapePool manages scrapes for sets of targets.
type scrapePool struct {
	appender SampleAppender
	config   *ScrapeConfig

	mtx sync.RWMutex
	ctx context.Context
	// Targets and loops must always be synchronized to have the same
	// set of hashes.
	loops map[string]*scrapeLoop
}

func newScrapePool(cfg *ScrapeConfig, app SampleAppender) *scrapePool {
	return &scrapePool{
		appender: app,
		config:   cfg,
		loops:    map[string]*scrapeLoop{},
	}
}

func (sp *scrapePool) init(ctx context.Context) {
	sp.mtx.Lock()
	defer sp.mtx.Unlock()

	sp.ctx = ctx
}

// stop terminates all scrape loops and returns after they all terminated.
func (sp *scrapePool) stop() {
	var wg sync.WaitGroup

	sp.mtx.Lock()
	defer sp.mtx.Unlock()

	for target, l := range sp.loops {
		wg.Add(1)

		go func(l *scrapeLoop) {
			l.stop()
			wg.Done()
		}(l)

		delete(sp.loops, target)
	}

	wg.Wait()
}

// sync takes a list of potentially duplicated targets, deduplicates them, starts
// scrape loops for new targets, and stops scrape loops for disappeared targets.
// It returns after all stopped scrape loops terminated.
func (sp *scrapePool) sync(targets []string) {
	sp.mtx.Lock()
	defer sp.mtx.Unlock()

	uniqueTargets := map[string]struct{}{}
	for _, t := range targets {
		uniqueTargets[t] = struct{}{}

		if _, ok := sp.loops[t]; !ok {
			l := newScrapeLoop(sp.ctx, t, sp.appender)
			sp.loops[t] = l

			go l.run(sp.config.ScrapeInterval)
		}
	}

	// Stop and remove old targets and scraper loops.
	for t, l := range sp.loops {
		if _, ok := uniqueTargets[t]; !ok {
			l.stop()
			delete(sp.loops, t)
		}
	}
}

type scrapeLoop struct {
	target   string
	appender SampleAppender

	done   chan struct{}
	ctx    context.Context
	cancel func()
}

func newScrapeLoop(ctx context.Context, target string, app SampleAppender) *scrapeLoop {
	sl := &scrapeLoop{
		target:   target,
		appender: app,
		done:     make(chan struct{}),
	}
	sl.ctx, sl.cancel = context.WithCancel(ctx)
	return sl
}

func (sl *scrapeLoop) run(interval time.Duration) {
	defer close(sl.done)

	ticker := time.NewTicker(interval)
	defer ticker.Stop()

	for {
		select {
		case <-sl.ctx.Done():
			return
		case at := <-ticker.C:
			sl.appender.Append(sl.target, at, 1)
		}
	}
}

func (sl *scrapeLoop) stop() {
	sl.cancel()
	<-sl.done
}
