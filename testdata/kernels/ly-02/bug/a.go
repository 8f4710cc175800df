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

// TargetStatus contains information about the current status of a scrape target.
type TargetStatus struct {
	lastError  error
	lastScrape time.Time
	health     TargetHealth

	mu sync.RWMutex
}

// Info returns the status as of the last scrape.
func (ts *TargetStatus) Info() StatusInfo {
	ts.mu.RLock()
	defer ts.mu.RUnlock()

	si := StatusInfo{Health: ts.health.String(), LastScrape: ts.lastScrape}
	if ts.lastError != nil {
		si.LastError = ts.lastError.Error()
	}
	return si
}

func (ts *TargetStatus) setLastScrape(t time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()

	ts.lastScrape = t
}

func (ts *TargetStatus) setLastError(err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()

	if err == nil {
		ts.health = HealthGood
	} else {
		ts.health = HealthBad
	}
	ts.lastError = err
}

// Target refers to a singular HTTP or HTTPS endpoint.
type Target struct {
	// The status object for the target. It is only set once on initialization.
	status *TargetStatus
	scrape func(context.Context) error
	url    string
}

// NewTarget creates a reasonably configured target for querying.
func NewTarget(url string, scrape func(context.Context) error) *Target {
	return &Target{status: &TargetStatus{}, scrape: scrape, url: url}
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
	t.status.setLastError(err)
	t.status.setLastScrape(start)
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
		res[url] = t.status.Info()
	}
	tm.mtx.RUnlock()
	return json.NewEncoder(w).Encode(res)
}
