// Package outlier takes misbehaving upstream hosts out of rotation.
package outlier

import (
	"context"
	"sync"
	"time"
)

// Policy says when and for how long a host is ejected.
type Policy struct {
	// Failures is the number of failures in a row that ejects a host.
	Failures int
	// Base is the time of the first ejection; it grows with each further one.
	Base time.Duration
	// Forget is how long a host may be silent before its record is dropped.
	Forget time.Duration
}

// record is what is known of a host. Records are never changed in place.
type record struct {
	fails     int
	ejections int
	until     int64
	seen      int64
}

// Detector is safe for concurrent use. The balancer asks Allowed for every
// pick and the transport calls Report for every response.
type Detector struct {
	policy Policy
	hosts  sync.Map // string -> record
}

// New returns a detector that prunes its records until ctx ends.
func New(ctx context.Context, p Policy) *Detector {
	d := &Detector{policy: p}
	go d.prune(ctx)
	return d
}

// Allowed reports whether the balancer may use host.
func (d *Detector) Allowed(host string) bool {
	v, ok := d.hosts.Load(host)
	if !ok {
		return true
	}
	return v.(record).until <= time.Now().UnixNano()
}

// Report takes account of one response of host.
func (d *Detector) Report(host string, success bool) {
	now := time.Now()
	var rec record
	if v, ok := d.hosts.Load(host); ok {
		rec = v.(record)
	}
	d.hosts.Store(host, d.next(rec, success, now))
}

func (d *Detector) next(rec record, success bool, now time.Time) record {
	rec.seen = max(rec.seen, now.UnixNano())
	if success {
		rec.fails = 0
		return rec
	}
	rec.fails++
	if rec.fails >= d.policy.Failures && rec.until <= now.UnixNano() {
		rec.fails = 0
		rec.ejections++
		rec.until = now.Add(d.policy.Base * time.Duration(rec.ejections)).UnixNano()
	}
	return rec
}

// Ejected lists the hosts that are out of rotation.
func (d *Detector) Ejected() []string {
	now := time.Now().UnixNano()
	var out []string
	d.hosts.Range(func(k, v any) bool {
		if v.(record).until > now {
			out = append(out, k.(string))
		}
		return true
	})
	return out
}

func (d *Detector) prune(ctx context.Context) {
	t := time.NewTicker(d.policy.Forget)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			limit := now.Add(-d.policy.Forget).UnixNano()
			d.hosts.Range(func(k, v any) bool {
				if rec := v.(record); rec.seen < limit && rec.until < limit {
					d.hosts.CompareAndDelete(k, v)
				}
				return true
			})
		}
	}
}
