package scrape

import (
	"sync"
	"time"
)

// Group is a set of targets with a common label set.
type Group struct {
	Source  string
	Targets []string
}

type scrapePool struct {
	mtx    sync.Mutex
	active map[string]struct{}
}

// Sync converts target groups into actual scrape targets.
func (sp *scrapePool) Sync(tgs []*Group) {
	sp.mtx.Lock()
	defer sp.mtx.Unlock()
	sp.active = make(map[string]struct{})
	for _, tg := range tgs {
		for _, t := range tg.Targets {
			sp.active[t] = struct{}{}
		}
	}
}

func (sp *scrapePool) ActiveTargets() int {
	sp.mtx.Lock()
	defer sp.mtx.Unlock()
	return len(sp.active)
}

// Manager maintains a set of scrape pools and manages start/stop cycles
// when receiving new target groups from the discovery manager.
type Manager struct {
	graceShut chan struct{}
	done      chan struct{}
	interval  time.Duration

	mtxScrape   sync.Mutex // Guards the fields below.
	scrapePools map[string]*scrapePool
	targetSets  map[string][]*Group

	triggerReload chan struct{}
}

// NewManager is the Manager constructor.
func NewManager(interval time.Duration) *Manager {
	return &Manager{
		graceShut:     make(chan struct{}),
		done:          make(chan struct{}),
		interval:      interval,
		scrapePools:   make(map[string]*scrapePool),
		triggerReload: make(chan struct{}, 1),
	}
}

// Run receives and saves target set updates and triggers the scraping loops reloading.
// Reloading happens in the background so that it doesn't block receiving targets updates.
func (m *Manager) Run(tsets <-chan map[string][]*Group) error {
	go m.reloader()
	for {
		select {
		case ts := <-tsets:
			m.updateTsets(ts)

			select {
			case m.triggerReload <- struct{}{}:
			default:
			}

		case <-m.graceShut:
			<-m.done
			return nil
		}
	}
}

func (m *Manager) reloader() {
	defer close(m.done)
	ticker := time.NewTicker(m.interval)
	defer ticker.Stop()

	for {
		select {
		case <-m.graceShut:
			return
		case <-ticker.C:
			select {
			case <-m.triggerReload:
				m.reload()
			case <-m.graceShut:
				return
			}
		}
	}
}

func (m *Manager) reload() {
	m.mtxScrape.Lock()
	defer m.mtxScrape.Unlock()
	var wg sync.WaitGroup
	for setName, groups := range m.targetSets {
		sp, ok := m.scrapePools[setName]
		if !ok {
			sp = &scrapePool{}
			m.scrapePools[setName] = sp
		}

		wg.Add(1)
		// Run the sync in parallel as these take a while and at high load can't catch up.
		go func(sp *scrapePool, groups []*Group) {
			defer wg.Done()
			sp.Sync(groups)
		}(sp, groups)
	}
	wg.Wait()
}

func (m *Manager) updateTsets(tsets map[string][]*Group) {
	m.mtxScrape.Lock()
	m.targetSets = tsets
	m.mtxScrape.Unlock()
}

// ScrapePools returns the number of active targets of the pools.
func (m *Manager) ScrapePools() map[string]int {
	m.mtxScrape.Lock()
	defer m.mtxScrape.Unlock()
	out := make(map[string]int, len(m.scrapePools))
	for name, sp := range m.scrapePools {
		out[name] = sp.ActiveTargets()
	}
	return out
}

// Stop ends the manager, Run returns when the reloads have ended.
func (m *Manager) Stop() {
	close(m.graceShut)
}
