// Package a counts what the importers of a data platform do.
package a

import (
	"context"
	"fmt"
	"sort"
	"sync/atomic"
)

// counters of one source. They only grow. A record is counted as seen before
// it can be counted as rejected.
type counters struct {
	seen     atomic.Uint64
	rejected atomic.Uint64
}

// Report shows how a source does. Rejected is never more than Seen; records
// that are being checked right now are in Seen only.
type Report struct {
	Source   string
	Seen     uint64
	Rejected uint64
}

// Share returns the share of the records that were rejected, from 0 to 1.
func (r Report) Share() float64 {
	if r.Seen == 0 {
		return 0
	}
	return float64(r.Rejected) / float64(r.Seen)
}

// Passed returns the number of records that were not rejected so far.
func (r Report) Passed() uint64 { return r.Seen - r.Rejected }

func (r Report) String() string {
	return fmt.Sprintf("%s: %d seen, %d rejected (%.1f%%)", r.Source, r.Seen, r.Rejected, 100*r.Share())
}

// Check decides whether a record is good.
type Check func(ctx context.Context, record []byte) error

// Importer checks records and counts them by source.
type Importer struct {
	check   Check
	sources map[string]*counters // not changed after NewImporter
}

// NewImporter returns an importer for the given sources.
func NewImporter(check Check, sources ...string) *Importer {
	im := &Importer{check: check, sources: make(map[string]*counters, len(sources))}
	for _, s := range sources {
		im.sources[s] = &counters{}
	}
	return im
}

// Accept checks one record.
func (im *Importer) Accept(ctx context.Context, source string, record []byte) error {
	c := im.sources[source]
	if c == nil {
		return fmt.Errorf("importer: unknown source %q", source)
	}
	c.seen.Add(1)
	if err := im.check(ctx, record); err != nil {
		c.rejected.Add(1)
		return fmt.Errorf("importer: %s: %w", source, err)
	}
	return nil
}

// Report returns the numbers of one source.
func (im *Importer) Report(source string) (Report, bool) {
	c := im.sources[source]
	if c == nil {
		return Report{}, false
	}
	// Rejected goes first: whatever is in it is in seen by now.
	rejected := c.rejected.Load()
	seen := c.seen.Load()
	return Report{Source: source, Seen: seen, Rejected: rejected}, true
}

// Reports returns the numbers of all sources, in order of name.
func (im *Importer) Reports() []Report {
	out := make([]Report, 0, len(im.sources))
	for s := range im.sources {
		if r, ok := im.Report(s); ok {
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Source < out[j].Source })
	return out
}
