// Package statsink aggregates counters in the process and sends them to the
// metrics gateway as increments. An increment that could not be sent is part
// of the next batch.
package statsink

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Counter counts events since they were last sent. It is safe for concurrent
// use and cheap enough for hot paths.
type Counter struct {
	name    string
	labels  string
	pending atomic.Int64
}

// Add counts n events.
func (c *Counter) Add(n int64) { c.pending.Add(n) }

// Inc counts one event.
func (c *Counter) Inc() { c.pending.Add(1) }

// sample is the part of a counter that goes into one batch.
type sample struct {
	counter *Counter
	delta   int64
}

// Transport delivers one batch.
type Transport interface {
	Send(ctx context.Context, batch []byte) error
}

// HTTPTransport posts batches to a gateway.
type HTTPTransport struct {
	URL    string
	Client *http.Client
}

// Send implements Transport.
func (t *HTTPTransport) Send(ctx context.Context, batch []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(batch))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain")
	resp, err := t.Client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("statsink: gateway says %s", resp.Status)
	}
	return nil
}

// Registry owns the counters of the process.
type Registry struct {
	transport Transport
	log       *slog.Logger
	counters  sync.Map // name and labels to *Counter

	flushMu sync.Mutex // one batch at a time
}

// NewRegistry returns a registry that sends through t.
func NewRegistry(t Transport, log *slog.Logger) *Registry {
	return &Registry{transport: t, log: log}
}

// Counter returns the counter of the name and labels, given as key, value, ...
// The same arguments give the same counter.
func (r *Registry) Counter(name string, labels ...string) *Counter {
	var b strings.Builder
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(&b, ",%s=%q", labels[i], labels[i+1])
	}
	key := name + b.String()
	if c, ok := r.counters.Load(key); ok {
		return c.(*Counter)
	}
	c, _ := r.counters.LoadOrStore(key, &Counter{name: name, labels: b.String()})
	return c.(*Counter)
}

// Run flushes periodically until ctx ends, and then once more.
func (r *Registry) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := r.Flush(ctx); err != nil {
				r.log.Warn("metrics not sent", "err", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := r.Flush(last); err != nil {
				r.log.Warn("last metrics not sent", "err", err)
			}
			return
		}
	}
}

// Flush sends what was counted since the last successful flush.
func (r *Registry) Flush(ctx context.Context) error {
	r.flushMu.Lock()
	defer r.flushMu.Unlock()
	samples := r.collect()
	if len(samples) == 0 {
		return nil
	}
	if err := r.transport.Send(ctx, encode(samples)); err != nil {
		return err
	}
	settle(samples)
	return nil
}

// collect returns the counters that have something to send, in a stable order.
func (r *Registry) collect() []sample {
	var out []sample
	r.counters.Range(func(_, v any) bool {
		c := v.(*Counter)
		if n := c.pending.Load(); n != 0 {
			out = append(out, sample{counter: c, delta: n})
		}
		return true
	})
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i].counter, out[j].counter
		if a.name != b.name {
			return a.name < b.name
		}
		return a.labels < b.labels
	})
	return out
}

// settle takes the samples off their counters after they were delivered.
func settle(samples []sample) {
	for _, s := range samples {
		s.counter.pending.Add(-s.delta)
	}
}

// encode writes one line per sample.
func encode(samples []sample) []byte {
	var b bytes.Buffer
	for _, s := range samples {
		fmt.Fprintf(&b, "%s%s %d\n", s.counter.name, s.counter.labels, s.delta)
	}
	return b.Bytes()
}
