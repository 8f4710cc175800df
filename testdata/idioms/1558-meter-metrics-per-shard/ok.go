package a

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var ErrBackwards = errors.New("meters: counter runs backwards")

type Upload struct {
	Meter string    `json:"meter"`
	Wh    uint64    `json:"wh"`
	At    time.Time `json:"at"`
}

type series struct {
	last    Upload
	uploads int
	gaps    int
}

type shard struct {
	mu     sync.Mutex
	meters map[string]*series
	gaps   int
}

// Collector takes meter uploads, one is expected every interval.
type Collector struct {
	interval time.Duration
	seed     maphash.Seed
	shards   [32]shard

	accepted atomic.Int64
	rejected atomic.Int64
}

func NewCollector(interval time.Duration) *Collector {
	c := &Collector{interval: interval, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].meters = make(map[string]*series)
	}
	return c
}

func (c *Collector) shardOf(meter string) *shard {
	return &c.shards[maphash.String(c.seed, meter)%uint64(len(c.shards))]
}

func (c *Collector) gapsBetween(prev, next time.Time) int {
	missed := int(next.Sub(prev)/c.interval) - 1
	return max(missed, 0)
}

func (c *Collector) add(u Upload) error {
	sh := c.shardOf(u.Meter)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s, ok := sh.meters[u.Meter]
	if !ok {
		sh.meters[u.Meter] = &series{last: u, uploads: 1}
		return nil
	}
	if !u.At.After(s.last.At) {
		return nil
	}
	if u.Wh < s.last.Wh {
		return ErrBackwards
	}
	n := c.gapsBetween(s.last.At, u.At)
	s.gaps += n
	sh.gaps += n
	s.last = u
	s.uploads++
	return nil
}

// Add stores an upload.
func (c *Collector) Add(u Upload) error {
	if err := c.add(u); err != nil {
		c.rejected.Add(1)
		return fmt.Errorf("%s: %w", u.Meter, err)
	}
	c.accepted.Add(1)
	return nil
}

// Gaps is the number of intervals without an upload of one meter.
func (c *Collector) Gaps(meter string) (int, bool) {
	sh := c.shardOf(meter)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s, ok := sh.meters[meter]
	if !ok {
		return 0, false
	}
	return s.gaps, true
}

// ServeMetrics writes the figures for the monitoring graphs.
func (c *Collector) ServeMetrics(w http.ResponseWriter, _ *http.Request) {
	meters, gaps := 0, 0
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		meters += len(sh.meters)
		gaps += sh.gaps
		sh.mu.Unlock()
	}
	fmt.Fprintf(w, "meters %d\n", meters)
	fmt.Fprintf(w, "gaps_total %d\n", gaps)
	fmt.Fprintf(w, "uploads_accepted_total %d\n", c.accepted.Load())
	fmt.Fprintf(w, "uploads_rejected_total %d\n", c.rejected.Load())
}

func (c *Collector) HandleUpload(w http.ResponseWriter, r *http.Request) {
	var u Upload
	if err := json.NewDecoder(r.Body).Decode(&u); err != nil || u.Meter == "" {
		http.Error(w, "bad upload", http.StatusBadRequest)
		return
	}
	if err := c.Add(u); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
