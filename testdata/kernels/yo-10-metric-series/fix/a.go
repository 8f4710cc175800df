// Package metrics holds counters by name and labels.
package metrics

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

type Labels map[string]string

type Counter struct {
	key string
	n   atomic.Int64
}

func (c *Counter) Inc()         { c.n.Add(1) }
func (c *Counter) Add(d int64)  { c.n.Add(d) }
func (c *Counter) Value() int64 { return c.n.Load() }

type Registry struct {
	prefix string
	series sync.Map // string -> *Counter
}

func NewRegistry(prefix string) *Registry {
	return &Registry{prefix: prefix}
}

func (l Labels) encode() string {
	if len(l) == 0 {
		return ""
	}
	parts := make([]string, 0, len(l))
	for k, v := range l {
		parts = append(parts, fmt.Sprintf("%s=%q", k, v))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// Counter returns the counter for name and labels.
func (r *Registry) Counter(name string, l Labels) *Counter {
	key := r.prefix + name + l.encode()
	if v, ok := r.series.Load(key); ok {
		return v.(*Counter)
	}
	v, _ := r.series.LoadOrStore(key, &Counter{key: key})
	return v.(*Counter)
}

func (r *Registry) each(fn func(*Counter)) {
	r.series.Range(func(_, v any) bool {
		fn(v.(*Counter))
		return true
	})
}

// WriteTo prints all counters in order.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	var lines []string
	r.each(func(c *Counter) {
		lines = append(lines, fmt.Sprintf("%s %d\n", c.key, c.Value()))
	})
	slices.Sort(lines)
	n, err := io.WriteString(w, strings.Join(lines, ""))
	return int64(n), err
}

// Observer counts the outcomes of one operation.
type Observer struct {
	ok, failed *Counter
}

func (r *Registry) Observer(op string) Observer {
	return Observer{
		ok:     r.Counter("ops_total", Labels{"op": op, "result": "ok"}),
		failed: r.Counter("ops_total", Labels{"op": op, "result": "error"}),
	}
}

func (o Observer) Done(err error) {
	if err != nil {
		o.failed.Inc()
		return
	}
	o.ok.Inc()
}
