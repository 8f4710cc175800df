// Package sensors sums up meter readings and ships them in reports.
package sensors

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"sync"
	"time"
)

// ErrRange is returned for readings which make no sense.
var ErrRange = errors.New("sensors: reading out of range")

// Reading is one impulse of a meter.
type Reading struct {
	Meter string
	Wh    int64
	At    time.Time
}

// Total is what a meter used in a period.
type Total struct {
	Wh    int64
	Count int
	Peak  int64
}

func (t Total) with(wh int64) Total {
	t.Wh += wh
	t.Count++
	t.Peak = max(t.Peak, wh)
	return t
}

func (t Total) plus(o Total) Total {
	return Total{Wh: t.Wh + o.Wh, Count: t.Count + o.Count, Peak: max(t.Peak, o.Peak)}
}

// Report is the content of one upload.
type Report struct {
	Seq    int
	Totals map[string]Total
}

// Uploader sends reports to billing.
type Uploader interface {
	Upload(ctx context.Context, r Report) error
}

// Aggregator is a set of functions which share one table.
type Aggregator struct {
	Record func(r Reading) error
	Flush  func(ctx context.Context) error
	Peek   func(meter string) Total
}

// NewAggregator returns an aggregator which ships to up.
func NewAggregator(up Uploader, limit int64) *Aggregator {
	var (
		mu     sync.Mutex
		totals = make(map[string]Total)

		shipping sync.Mutex
		seq      int
	)

	record := func(r Reading) error {
		if r.Wh < 0 || r.Wh > limit {
			return fmt.Errorf("%w: %s: %d Wh", ErrRange, r.Meter, r.Wh)
		}
		mu.Lock()
		defer mu.Unlock()
		totals[r.Meter] = totals[r.Meter].with(r.Wh)
		return nil
	}

	flush := func(ctx context.Context) error {
		shipping.Lock()
		defer shipping.Unlock()

		mu.Lock()
		batch := maps.Clone(totals)
		mu.Unlock()
		if len(batch) == 0 {
			return nil
		}

		if err := up.Upload(ctx, Report{Seq: seq + 1, Totals: maps.Clone(batch)}); err != nil {
			return fmt.Errorf("sensors: report %d: %w", seq+1, err)
		}
		seq++

		mu.Lock()
		clear(totals)
		mu.Unlock()
		return nil
	}

	peek := func(meter string) Total {
		mu.Lock()
		defer mu.Unlock()
		return totals[meter]
	}

	return &Aggregator{Record: record, Flush: flush, Peek: peek}
}

// Run flushes until ctx is done and once more after that.
func (a *Aggregator) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), every)
			defer cancel()
			if err := a.Flush(last); err != nil {
				log.Print(err)
			}
			return
		case <-t.C:
			if err := a.Flush(ctx); err != nil {
				log.Print(err)
			}
		}
	}
}

// Ingest records everything of a bus.
func (a *Aggregator) Ingest(bus <-chan Reading) (bad int) {
	for r := range bus {
		if err := a.Record(r); err != nil {
			bad++
		}
	}
	return bad
}
