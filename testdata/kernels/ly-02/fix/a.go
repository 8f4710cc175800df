package a

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// TargetHealth describes the health state of a target.
type TargetHealth int

const (
	// HealthUnknown is the state of a Target before it is first scraped.
	HealthUnknown TargetHealth = iota
	// HealthGood is the state of a Target that has been successfully scraped.
	HealthGood
	// HealthBad is the state of a Target that was scraped unsuccessfully.
	HealthBad
)

func (t TargetHealth) String() string {
	switch t {
	case HealthGood:
		return "up"
	case HealthBad:
		return "down"
	}
	return "unknown"
}

// StatusInfo is what the status page shows about a target.
type StatusInfo struct {
	Health     string    `json:"health"`
	LastError  string    `json:"lastError"`
	LastScrape time.Time `json:"lastScrape"`
}

// Target refers to a singular HTTP or HTTPS endpoint.
type Target struct {
	scrape func(context.Context) error
	url    string

	mtx        sync.RWMutex
	lastError  error
	lastScrape time.Time
	health     TargetHealth
}

// NewTarget creates a reasonably configured target for querying.
func NewTarget(url string, scrape func(context.Context) error) *Target {
	return &Target{scrape: scrape, url: url, health: HealthUnknown}
}

// RunScraper scrapes the target in regular intervals.
func (t *Target) RunScraper(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		start := time.Now()
		err := t.scrape(ctx)
		t.report(start, err)

		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (t *Target) report(start time.Time, err error) {
	t.mtx.Lock()
	defer t.mtx.Unlock()

	if err == nil {
		t.health = HealthGood
	} else {
		t.health = HealthBad
	}

	t.lastError = err
	t.lastScrape = start
}

// Info returns the status as of the last scrape.
func (t *Target) Info() StatusInfo {
	t.mtx.RLock()
	defer t.mtx.RUnlock()

	si := StatusInfo{Health: t.health.String(), LastScrape: t.lastScrape}
	if t.lastError != nil {
		si.LastError = t.lastError.Error()
	}
	return si
}

// TargetManager runs the scrapers of all targets.
type TargetManager struct {
	mtx     sync.RWMutex
	targets map[string]*Target
}

func NewTargetManager() *TargetManager {
	return &TargetManager{targets: map[string]*Target{}}
}

// Add starts scraping a target.
func (tm *TargetManager) Add(ctx context.Context, t *Target) {
	tm.mtx.Lock()
	defer tm.mtx.Unlock()
	if _, ok := tm.targets[t.url]; ok {
		return
	}
	tm.targets[t.url] = t
	go t.RunScraper(ctx, time.Minute)
}

// WriteStatus writes the states of all targets as JSON.
func (tm *TargetManager) WriteStatus(w io.Writer) error {
	res := map[string]StatusInfo{}
	tm.mtx.RLock()
	for url, t := range tm.targets {
		res[url] = t.Info()
	}
	tm.mtx.RUnlock()
	return json.NewEncoder(w).Encode(res)
}
