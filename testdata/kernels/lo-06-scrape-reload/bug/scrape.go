package scrape

import (
	"context"
	"sync"
	"time"
)

// Config is the configuration of a scrape pool.
type Config struct {
	JobName        string
	ScrapeInterval time.Duration
}

// Target is an endpoint to scrape.
type Target struct {
	url string
}

// Appendable takes the samples.
type Appendable interface {
	Scrape(ctx context.Context, url string)
}

// scrapeLoop scrapes one target.
type scrapeLoop struct {
	target   *Target
	interval time.Duration
	app      Appendable
	ctx      context.Context
	cancel   context.CancelFunc
	stopped  chan struct{}
}

func (sl *scrapeLoop) run() {
	defer close(sl.stopped)
	ticker := time.NewTicker(sl.interval)
	defer ticker.Stop()
	for {
		select {
		case <-sl.ctx.Done():
			return
		case <-ticker.C:
			sl.app.Scrape(sl.ctx, sl.target.url)
		}
	}
}

// stop ends the loop and waits for it.
func (sl *scrapeLoop) stop() {
	sl.cancel()
	<-sl.stopped
}

// scrapePool manages scrapes for sets of targets.
type scrapePool struct {
	appendable Appendable
	ctx        context.Context
	cancel     context.CancelFunc

	// targetMtx protects config, activeTargets and loops from concurrent reads
	// and writes.
	targetMtx     sync.Mutex
	config        *Config
	activeTargets map[string]*Target
	loops         map[string]*scrapeLoop
}

func newScrapePool(cfg *Config, app Appendable) *scrapePool {
	ctx, cancel := context.WithCancel(context.Background())
	return &scrapePool{
		appendable:    app,
		ctx:           ctx,
		cancel:        cancel,
		config:        cfg,
		activeTargets: make(map[string]*Target),
		loops:         make(map[string]*scrapeLoop),
	}
}

func (sp *scrapePool) newLoop(t *Target, interval time.Duration) *scrapeLoop {
	ctx, cancel := context.WithCancel(sp.ctx)
	return &scrapeLoop{target: t, interval: interval, app: sp.appendable, ctx: ctx, cancel: cancel, stopped: make(chan struct{})}
}

// reload the scrape pool with the given scrape configuration. The target state is preserved
// but all scrape loops are restarted with the new scrape configuration.
func (sp *scrapePool) reload(cfg *Config) {
	var wg sync.WaitGroup

	sp.targetMtx.Lock()
	sp.config = cfg
	for fp, oldLoop := range sp.loops {
		newLoop := sp.newLoop(oldLoop.target, cfg.ScrapeInterval)
		sp.loops[fp] = newLoop
		wg.Add(1)
		go func() {
			defer wg.Done()
			oldLoop.stop()
			go newLoop.run()
		}()
	}
	sp.targetMtx.Unlock()

	wg.Wait()
}

// Sync converts target groups into actual scrape targets and synchronizes
// the currently running scraper with the resulting set.
func (sp *scrapePool) Sync(urls []string) {
	interval := sp.interval()

	var wg sync.WaitGroup
	uniqueLoops := make(map[string]*scrapeLoop)
	sp.targetMtx.Lock()
	for _, u := range urls {
		t := &Target{url: u}
		if _, ok := sp.activeTargets[t.url]; ok {
			// A target that is given twice must not hide its new loop.
			if _, ok := uniqueLoops[t.url]; !ok {
				uniqueLoops[t.url] = nil
			}
			continue
		}
		l := sp.newLoop(t, interval)
		sp.activeTargets[t.url] = t
		sp.loops[t.url] = l
		uniqueLoops[t.url] = l
	}
	// Stop and remove old targets and scraper loops.
	for url := range sp.activeTargets {
		if _, ok := uniqueLoops[url]; !ok {
			wg.Add(1)
			go func(l *scrapeLoop) {
				defer wg.Done()
				l.stop()
			}(sp.loops[url])
			delete(sp.loops, url)
			delete(sp.activeTargets, url)
		}
	}
	sp.targetMtx.Unlock()

	for _, l := range uniqueLoops {
		if l != nil {
			go l.run()
		}
	}
	// Wait for all potentially stopped scrapers to terminate.
	wg.Wait()
}

func (sp *scrapePool) interval() time.Duration {
	sp.targetMtx.Lock()
	defer sp.targetMtx.Unlock()
	return sp.config.ScrapeInterval
}

// Manager maintains a scrape pool for every job.
type Manager struct {
	mtxScrape   sync.Mutex
	scrapePools map[string]*scrapePool
}

// Run is the loop of the service discovery.
func (m *Manager) Run(tsets <-chan map[string][]string) {
	for ts := range tsets {
		m.reload(ts)
	}
}

// reload hands the targets to the pools, and does not wait for them with the
// lock held.
func (m *Manager) reload(tsets map[string][]string) {
	m.mtxScrape.Lock()
	var wg sync.WaitGroup
	for setName, urls := range tsets {
		sp, ok := m.scrapePools[setName]
		if !ok {
			continue
		}
		wg.Add(1)
		// Run the sync in parallel as these take a while and at high load can't catch up.
		go func() {
			defer wg.Done()
			sp.Sync(urls)
		}()
	}
	m.mtxScrape.Unlock()
	wg.Wait()
}

// ApplyConfig is called by the reload handler of the main function.
func (m *Manager) ApplyConfig(cfgs map[string]*Config, app Appendable) {
	m.mtxScrape.Lock()
	defer m.mtxScrape.Unlock()

	if m.scrapePools == nil {
		m.scrapePools = make(map[string]*scrapePool)
	}
	for name, cfg := range cfgs {
		if sp, ok := m.scrapePools[name]; ok {
			sp.reload(cfg)
			continue
		}
		m.scrapePools[name] = newScrapePool(cfg, app)
	}
}
