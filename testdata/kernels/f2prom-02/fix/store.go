// Package fix keeps the newest samples in memory.
package fix

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrTooOld is returned for samples before the accepted range.
var ErrTooOld = errors.New("sample is too old")

type sample struct {
	t int64
	v float64
}

// Writer adds samples.
type Writer interface {
	Add(name string, t int64, v float64) error
	Commit() error
	Rollback()
}

// Recent holds the samples of the last hours.
type Recent struct {
	lowT, highT atomic.Int64
	floorT      atomic.Int64
	span        int64

	mu   sync.RWMutex
	rows map[string][]sample
}

// NewRecent returns an empty store; span is the length of a block.
func NewRecent(span int64) *Recent {
	r := &Recent{span: span, rows: make(map[string][]sample)}
	r.lowT.Store(math.MaxInt64)
	r.highT.Store(math.MinInt64)
	r.floorT.Store(math.MinInt64)
	return r
}

func (r *Recent) started() bool { return r.highT.Load() != math.MinInt64 }

// oldest is the lowest time stamp that is accepted now.
func (r *Recent) oldest() int64 {
	return max(r.highT.Load()-r.span/2, r.floorT.Load())
}

// begin sets the time range of an empty store from its first sample.
func (r *Recent) begin(t int64) {
	if !r.lowT.CompareAndSwap(math.MaxInt64, t) {
		// Another writer is about to set both.
		for !r.started() {
			runtime.Gosched()
		}
		return
	}
	r.highT.CompareAndSwap(math.MinInt64, t)
}

func (r *Recent) widen(lo, hi int64) {
	for {
		cur := r.lowT.Load()
		if lo >= cur || r.lowT.CompareAndSwap(cur, lo) {
			break
		}
	}
	for {
		cur := r.highT.Load()
		if hi <= cur || r.highT.CompareAndSwap(cur, hi) {
			break
		}
	}
}

// Writer returns a writer for one batch.
func (r *Recent) Writer() Writer {
	if !r.started() {
		return &firstWriter{r: r}
	}
	return r.batch()
}

func (r *Recent) batch() *batchWriter {
	return &batchWriter{r: r, from: r.oldest(), lo: math.MaxInt64, hi: math.MinInt64}
}

// Len returns the number of samples of a series.
func (r *Recent) Len(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.rows[name])
}

// firstWriter waits for a sample before it makes the real writer.
type firstWriter struct {
	r *Recent
	w Writer
}

func (f *firstWriter) Add(name string, t int64, v float64) error {
	if f.w == nil {
		f.r.begin(t)
		f.w = f.r.batch()
	}
	return f.w.Add(name, t, v)
}

func (f *firstWriter) Commit() error {
	if f.w == nil {
		return nil
	}
	return f.w.Commit()
}

func (f *firstWriter) Rollback() {
	if f.w != nil {
		f.w.Rollback()
	}
}

type pending struct {
	name string
	s    sample
}

type batchWriter struct {
	r      *Recent
	from   int64
	lo, hi int64
	buf    []pending
}

func (b *batchWriter) Add(name string, t int64, v float64) error {
	if t < b.from {
		return ErrTooOld
	}
	b.lo, b.hi = min(b.lo, t), max(b.hi, t)
	b.buf = append(b.buf, pending{name, sample{t, v}})
	return nil
}

func (b *batchWriter) Commit() error {
	if len(b.buf) == 0 {
		return nil
	}
	b.r.mu.Lock()
	for _, p := range b.buf {
		b.r.rows[p.name] = append(b.r.rows[p.name], p.s)
	}
	b.r.mu.Unlock()
	b.r.widen(b.lo, b.hi)
	b.buf = nil
	return nil
}

func (b *batchWriter) Rollback() { b.buf = nil }

// Load writes one sample per name from several goroutines.
func (r *Recent) Load(names []string, t int64) []error {
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := r.Writer()
			if errs[i] = w.Add(name, t, 1); errs[i] != nil {
				w.Rollback()
				return
			}
			errs[i] = w.Commit()
		}()
	}
	wg.Wait()
	return errs
}
