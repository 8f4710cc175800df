// Package fix stores records in one segment per day.
package fix

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const dayMillis = 24 * 3600 * 1000

// segment holds the records of a day.
type segment struct {
	mu     sync.Mutex
	open   bool
	recs   []Record
	onDisk func([]Record)
}

func (g *segment) put(recs []Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open {
		panic("BUG: put into a closed segment")
	}
	g.recs = append(g.recs, recs...)
}

func (g *segment) close(keep bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if keep && g.onDisk != nil {
		g.onDisk(g.recs)
	}
	g.open = false
	g.recs = nil
}

// handle is a counted reference to a segment.
type handle struct {
	day  int64
	refs atomic.Int32
	drop atomic.Bool
	seg  *segment
}

func newHandle(seg *segment, day int64) *handle {
	h := &handle{day: day, seg: seg}
	h.incRef()
	return h
}

func (h *handle) incRef() { h.refs.Add(1) }

func (h *handle) decRef() {
	if h.refs.Add(-1) > 0 {
		return
	}
	h.seg.close(!h.drop.Load())
}

func (h *handle) holds(recs []Record) bool {
	for _, r := range recs {
		if r.Millis/dayMillis != h.day {
			return false
		}
	}
	return true
}

// Record is one entry.
type Record struct {
	Millis int64
	Text   string
}

// Journal is the set of all days.
type Journal struct {
	keepDays int64
	persist  func([]Record)
	stop     chan struct{}
	wg       sync.WaitGroup

	mu   sync.Mutex
	days []*handle // sorted by day
	hot  *handle   // the day of the last records
}

// Open returns a journal that keeps the given number of days.
func Open(keepDays int64, persist func([]Record)) *Journal {
	j := &Journal{keepDays: keepDays, persist: persist, stop: make(chan struct{})}
	j.wg.Add(1)
	go func() {
		defer j.wg.Done()
		j.expire()
	}()
	return j
}

// Add stores records; they may belong to different days.
func (j *Journal) Add(recs []Record) {
	j.mu.Lock()
	hot := j.hot
	if hot != nil {
		hot.incRef()
	}
	j.mu.Unlock()
	if hot != nil {
		if hot.holds(recs) {
			hot.seg.put(recs)
			hot.decRef()
			return
		}
		hot.decRef()
	}

	byDay := make(map[int64][]Record)
	for _, r := range recs {
		d := r.Millis / dayMillis
		byDay[d] = append(byDay[d], r)
	}
	oldest := j.oldestDay()
	for d, rs := range byDay {
		if d < oldest {
			continue
		}
		h := j.handleFor(d)
		h.seg.put(rs)
		h.decRef()
	}
}

func (j *Journal) oldestDay() int64 {
	return time.Now().UnixMilli()/dayMillis - j.keepDays
}

func (j *Journal) handleFor(day int64) *handle {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := sort.Search(len(j.days), func(i int) bool { return j.days[i].day >= day })
	var h *handle
	if n < len(j.days) && j.days[n].day == day {
		h = j.days[n]
	} else {
		h = newHandle(&segment{open: true, onDisk: j.persist}, day)
		j.days = append(j.days, nil)
		copy(j.days[n+1:], j.days[n:])
		j.days[n] = h
	}
	j.hot = h
	h.incRef()
	return h
}

func (j *Journal) expire() {
	t := time.NewTicker(time.Hour)
	defer t.Stop()
	for {
		j.dropOld(j.oldestDay())
		select {
		case <-j.stop:
			return
		case <-t.C:
		}
	}
}

func (j *Journal) dropOld(oldest int64) {
	var old []*handle
	j.mu.Lock()
	for _, h := range j.days {
		if h.day >= oldest {
			break
		}
		old = append(old, h)
		if j.hot == h {
			j.hot = nil
		}
	}
	clear(j.days[:len(old)])
	j.days = j.days[len(old):]
	j.mu.Unlock()

	for _, h := range old {
		h.drop.Store(true)
		h.decRef()
	}
}

// Close writes everything out. Nobody may call Add any more.
func (j *Journal) Close() {
	close(j.stop)
	j.wg.Wait()
	j.mu.Lock()
	days := j.days
	j.days, j.hot = nil, nil
	j.mu.Unlock()
	for _, h := range days {
		h.decRef()
	}
}
