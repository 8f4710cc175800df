// Package fix keeps the newest samples of all series in memory.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrOutOfOrder is returned for samples older than the last one.
var ErrOutOfOrder = errors.New("out of order sample")

const stripes = 16

type sample struct {
	t int64
	v float64
}

type memSeries struct {
	sync.Mutex
	ref     uint64
	labels  string
	samples []sample
	pending bool // has samples that are not committed
	deleted bool // removed by gc
}

// appendable tells whether a sample may be added. The caller holds s.
func (s *memSeries) appendable(t int64) error {
	if n := len(s.samples); n > 0 && t < s.samples[n-1].t {
		return ErrOutOfOrder
	}
	return nil
}

// truncate drops old samples. The caller holds s.
func (s *memSeries) truncate(mint int64) {
	i := 0
	for i < len(s.samples) && s.samples[i].t < mint {
		i++
	}
	s.samples = s.samples[i:]
}

type stripe struct {
	sync.RWMutex
	byLabels map[string]*memSeries
	byRef    map[uint64]*memSeries
}

// Head holds the series.
type Head struct {
	stripes [stripes]stripe
	lastRef atomic.Uint64
}

// NewHead returns an empty head that drops samples older than keep.
func NewHead(keep time.Duration, stop <-chan struct{}) *Head {
	h := &Head{}
	for i := range h.stripes {
		h.stripes[i].byLabels = make(map[string]*memSeries)
		h.stripes[i].byRef = make(map[uint64]*memSeries)
	}
	go func() {
		for {
			select {
			case <-stop:
				return
			case now := <-time.After(keep / 10):
				h.gc(now.Add(-keep).UnixMilli())
			}
		}
	}()
	return h
}

func (h *Head) stripeOf(labels string) uint64 {
	var sum uint64 = 14695981039346656037
	for i := 0; i < len(labels); i++ {
		sum = (sum ^ uint64(labels[i])) * 1099511628211
	}
	return sum % stripes
}

func (h *Head) getByRef(ref uint64) *memSeries {
	st := &h.stripes[ref%stripes]
	st.RLock()
	defer st.RUnlock()
	return st.byRef[ref]
}

// getOrCreate returns the series with these labels. A ref names the stripe
// of its labels.
func (h *Head) getOrCreate(labels string) *memSeries {
	n := h.stripeOf(labels)
	st := &h.stripes[n]
	st.Lock()
	defer st.Unlock()
	if s, ok := st.byLabels[labels]; ok {
		return s
	}
	s := &memSeries{ref: h.lastRef.Add(1)*stripes + n, labels: labels}
	st.byLabels[labels] = s
	st.byRef[s.ref] = s
	return s
}

// Append adds a sample and returns the reference of its series. ref may be
// an earlier result for the same labels, or 0.
func (h *Head) Append(ref uint64, labels string, t int64, v float64) (uint64, error) {
	s := h.getByRef(ref)
	if s == nil {
		s = h.getOrCreate(labels)
	}

	s.Lock()
	for s.deleted {
		s.Unlock()
		s = h.getOrCreate(labels)
		s.Lock()
	}
	defer s.Unlock()
	if err := s.appendable(t); err != nil {
		return 0, err
	}
	s.pending = true
	s.samples = append(s.samples, sample{t, v})
	return s.ref, nil
}

// Commit marks the samples of a series as written.
func (h *Head) Commit(ref uint64) {
	if s := h.getByRef(ref); s != nil {
		s.Lock()
		s.pending = false
		s.Unlock()
	}
}

// gc drops old samples and the series that have none left.
func (h *Head) gc(mint int64) (removed int) {
	for i := range h.stripes {
		st := &h.stripes[i]
		st.Lock()
		for labels, s := range st.byLabels {
			s.Lock()
			s.truncate(mint)
			if len(s.samples) > 0 || s.pending {
				s.Unlock()
				continue
			}
			// Mark the series inside its lock, so that it is not used again.
			s.deleted = true
			delete(st.byLabels, labels)
			delete(st.byRef, s.ref)
			removed++
			s.Unlock()
		}
		st.Unlock()
	}
	return removed
}
