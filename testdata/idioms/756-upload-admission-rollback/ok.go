// Package admission bounds the uploads of an object store by bucket.
package admission

import (
	"errors"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrOverload is returned when a bucket has its full share.
var ErrOverload = errors.New("admission: too many uploads")

// Limits are set at start and not changed.
type Limits struct {
	Uploads int64
	Bytes   int64
}

// gate counts what is under way for a bucket.
type gate struct {
	uploads atomic.Int64
	bytes   atomic.Int64
	refused atomic.Int64
	passed  atomic.Int64
}

func reserve(c *atomic.Int64, n, limit int64) bool {
	if c.Add(n) > limit {
		c.Add(-n)
		return false
	}
	return true
}

// Controller admits uploads.
type Controller struct {
	limits Limits
	gates  sync.Map // bucket to *gate
}

// New returns a controller.
func New(l Limits) *Controller { return &Controller{limits: l} }

func (c *Controller) gate(bucket string) *gate {
	if g, ok := c.gates.Load(bucket); ok {
		return g.(*gate)
	}
	g, _ := c.gates.LoadOrStore(bucket, new(gate))
	return g.(*gate)
}

// Admit takes a share for an upload of a size; the result gives it back.
func (c *Controller) Admit(bucket string, size int64) (release func(), err error) {
	g := c.gate(bucket)
	if !reserve(&g.uploads, 1, c.limits.Uploads) {
		g.refused.Add(1)
		return nil, fmt.Errorf("%w: %s", ErrOverload, bucket)
	}
	if !reserve(&g.bytes, size, c.limits.Bytes) {
		g.uploads.Add(-1)
		g.refused.Add(1)
		return nil, fmt.Errorf("%w: %s: %d bytes", ErrOverload, bucket, size)
	}
	g.passed.Add(1)
	return sync.OnceFunc(func() {
		g.bytes.Add(-size)
		g.uploads.Add(-1)
	}), nil
}

// Ratio returns the share of refused uploads of a bucket, for the dashboard.
func (c *Controller) Ratio(bucket string) float64 {
	v, ok := c.gates.Load(bucket)
	if !ok {
		return 0
	}
	g := v.(*gate)
	refused, passed := g.refused.Load(), g.passed.Load()
	if refused+passed == 0 {
		return 0
	}
	return float64(refused) / float64(refused+passed)
}

// Publish exports the ratios.
func (c *Controller) Publish(name string) {
	expvar.Publish(name, expvar.Func(func() any {
		out := make(map[string]float64)
		c.gates.Range(func(k, _ any) bool {
			out[k.(string)] = c.Ratio(k.(string))
			return true
		})
		return out
	}))
}

// Sink stores an object.
type Sink interface {
	Put(bucket, key string, r io.Reader) error
}

// Handler serves PUT /bucket/key.
func (c *Controller) Handler(s Sink) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bucket, key, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !ok || r.ContentLength < 0 {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		release, err := c.Admit(bucket, r.ContentLength)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer release()
		if err := s.Put(bucket, key, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}
