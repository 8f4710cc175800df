package a

import (
	"context"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Sink takes increments; it adds them up on its side.
type Sink interface {
	Add(campaign string, impressions, micros int64) error
}

type counter struct {
	impressions atomic.Int64
	micros      atomic.Int64
}

// Counters collects the impressions of ad campaigns between two flushes.
// A counter stays in the map for the life of the process.
type Counters struct {
	sink Sink

	mu   sync.RWMutex
	byID map[string]*counter
}

func NewCounters(s Sink) *Counters {
	return &Counters{sink: s, byID: make(map[string]*counter)}
}

func (c *Counters) counter(campaign string) *counter {
	c.mu.RLock()
	n, ok := c.byID[campaign]
	c.mu.RUnlock()
	if ok {
		return n
	}
	fresh := new(counter)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.byID[campaign]; ok {
		return n
	}
	c.byID[campaign] = fresh
	return fresh
}

// Shown counts one impression and what it costs.
func (c *Counters) Shown(campaign string, micros int64) {
	n := c.counter(campaign)
	n.impressions.Add(1)
	n.micros.Add(micros)
}

func (c *Counters) list() map[string]*counter {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string]*counter, len(c.byID))
	for id, n := range c.byID {
		out[id] = n
	}
	return out
}

// Flush sends the increments since the last flush. What cannot be sent is
// added back and goes out with the next one.
func (c *Counters) Flush() {
	for id, n := range c.list() {
		imps := n.impressions.Swap(0)
		micros := n.micros.Swap(0)
		if imps == 0 && micros == 0 {
			continue
		}
		if err := c.sink.Add(id, imps, micros); err != nil {
			log.Printf("flush %s: %v", id, err)
			n.impressions.Add(imps)
			n.micros.Add(micros)
		}
	}
}

// ServeHTTP is the tracking pixel.
func (c *Counters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Shown(r.FormValue("campaign"), 250)
	w.WriteHeader(http.StatusNoContent)
}

// Run serves the pixel and flushes every few seconds. The last flush comes
// after the server has finished all requests.
func (c *Counters) Run(ctx context.Context, addr string) error {
	srv := &http.Server{Addr: addr, Handler: c}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		t := time.NewTicker(5 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				if err := srv.Shutdown(context.Background()); err != nil {
					log.Print(err)
				}
				c.Flush()
				return
			case <-t.C:
				c.Flush()
			}
		}
	}()
	err := srv.ListenAndServe()
	if ctx.Err() != nil {
		<-stopped
	}
	return err
}
