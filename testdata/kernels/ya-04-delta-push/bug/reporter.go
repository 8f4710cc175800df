// Package deltas counts events of a service and pushes the counts to a
// collector that expects deltas: every push holds what has happened since the
// push before.
package deltas

import (
	"context"
	"log"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"
)

// Point is the count of one series over a push interval.
type Point struct {
	Series string
	Count  int64
}

// Sink takes a batch of points. A batch is taken as a whole or not at all.
type Sink interface {
	Send(ctx context.Context, batch []Point) error
}

// Reporter collects counts. Its methods are safe for concurrent use.
type Reporter struct {
	sink Sink

	mu     sync.Mutex
	counts map[string]int64

	pushing sync.Mutex // one push at a time
}

// NewReporter returns a reporter that pushes to sink.
func NewReporter(sink Sink) *Reporter {
	return &Reporter{sink: sink, counts: make(map[string]int64)}
}

// Inc adds one to a series.
func (r *Reporter) Inc(name string, labels ...string) { r.Add(1, name, labels...) }

// Add adds n to a series.
func (r *Reporter) Add(n int64, name string, labels ...string) {
	key := name
	if len(labels) > 0 {
		key += "{" + strings.Join(labels, ",") + "}"
	}
	r.mu.Lock()
	r.counts[key] += n
	r.mu.Unlock()
}

// Push sends the counts since the last successful push. If the sink fails
// the counts are kept for the next push.
func (r *Reporter) Push(ctx context.Context) error {
	r.pushing.Lock()
	defer r.pushing.Unlock()

	counts := r.gather()
	if len(counts) == 0 {
		return nil
	}
	if err := r.sink.Send(ctx, points(counts)); err != nil {
		return err
	}
	r.reset()
	return nil
}

// gather returns the counts collected so far.
func (r *Reporter) gather() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]int64, len(r.counts))
	for k, v := range r.counts {
		out[k] = v
	}
	return out
}

// reset starts a new interval.
func (r *Reporter) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.counts)
}

// points turns counts into a batch in the order of the series.
func points(counts map[string]int64) []Point {
	batch := make([]Point, 0, len(counts))
	for k, v := range counts {
		batch = append(batch, Point{Series: k, Count: v})
	}
	sort.Slice(batch, func(i, j int) bool { return batch[i].Series < batch[j].Series })
	return batch
}

// Run pushes every interval until ctx is done, and once more at the end.
func (r *Reporter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := r.Push(ctx); err != nil {
				log.Printf("deltas: push: %v", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := r.Push(last); err != nil {
				log.Printf("deltas: last push: %v", err)
			}
			return
		}
	}
}

// Middleware counts the requests that pass through next.
func (r *Reporter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.Inc("http_requests", "method="+req.Method)
		next.ServeHTTP(w, req)
	})
}
