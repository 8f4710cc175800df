package a

import "sync"

// Labels is a sorted label set in its text form.
type Labels string

type hashedSample struct {
	hash   uint64
	labels Labels
	ref    uint32
	t      int64
	v      float64
}

type point struct {
	t int64
	v float64
}

type memSeries struct {
	mtx    sync.RWMutex
	ref    uint32
	lset   Labels
	points []point
}

func (s *memSeries) append(t int64, v float64) bool {
	if n := len(s.points); n > 0 && s.points[n-1].t >= t {
		return false
	}
	s.points = append(s.points, point{t, v})
	return true
}

// WAL is the write ahead log of a head block.
type WAL struct {
	mtx    sync.Mutex
	series []Labels
	count  int
}

func (w *WAL) Log(series []Labels, samples []hashedSample) error {
	w.mtx.Lock()
	defer w.mtx.Unlock()
	w.series = append(w.series, series...)
	w.count += len(samples)
	return nil
}

// headBlock handles reads and writes of time series data within a time window.
type headBlock struct {
	mtx sync.RWMutex
	// series holds all series; a series' position is its ref.
	series []*memSeries
	// hashes contains a collision map of label set hashes to their series.
	hashes map[uint64][]*memSeries
	wal    *WAL
}

func openHeadBlock(wal *WAL) *headBlock {
	return &headBlock{hashes: map[uint64][]*memSeries{}, wal: wal}
}

// Points returns the points of the series with the given label set.
func (h *headBlock) Points(hash uint64, lset Labels) []point {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	s := h.get(hash, lset)
	if s == nil {
		return nil
	}
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	return append([]point(nil), s.points...)
}

func (h *headBlock) get(hash uint64, lset Labels) *memSeries {
	for _, s := range h.hashes[hash] {
		if s.lset == lset {
			return s
		}
	}
	return nil
}

// create adds a new series to the block. h.mtx must be held for writing.
func (h *headBlock) create(hash uint64, lset Labels) *memSeries {
	s := &memSeries{lset: lset, ref: uint32(len(h.series))}
	h.series = append(h.series, s)
	h.hashes[hash] = append(h.hashes[hash], s)
	return s
}

func (h *headBlock) appendBatch(samples []hashedSample) (int, error) {
	// Find series for all samples and allocate new refs for ones we haven't
	// seen before.
	var (
		newSeries = map[uint64][]*hashedSample{}
		newLabels []Labels
	)

	h.mtx.RLock()
	defer h.mtx.RUnlock()

	for i := range samples {
		s := &samples[i]
		if ms := h.get(s.hash, s.labels); ms != nil {
			s.ref = ms.ref
			continue
		}
		newSeries[s.hash] = append(newSeries[s.hash], s)
	}

	if len(newSeries) > 0 {
		newLabels = make([]Labels, 0, len(newSeries))

		h.mtx.RUnlock()
		h.mtx.Lock()
		for hash, ser := range newSeries {
			lset := ser[0].labels
			newLabels = append(newLabels, lset)

			ms := h.create(hash, lset)
			for _, s := range ser {
				s.ref = ms.ref
			}
		}
		h.mtx.Unlock()
		h.mtx.RLock()
	}
	// Write all new series and samples to the WAL and add it to the
	// in-mem database on success.
	if err := h.wal.Log(newLabels, samples); err != nil {
		return 0, err
	}
	total := 0
	for _, s := range samples {
		ser := h.series[s.ref]
		ser.mtx.Lock()
		if ser.append(s.t, s.v) {
			total++
		}
		ser.mtx.Unlock()
	}
	return total, nil
}

// scrapeLoop ingests the batches of one target.
func (h *headBlock) scrapeLoop(batches <-chan []hashedSample, report func(int, error)) {
	for b := range batches {
		report(h.appendBatch(b))
	}
}

// Run starts a scrape loop for every target.
func (h *headBlock) Run(targets []<-chan []hashedSample, report func(int, error)) {
	var wg sync.WaitGroup
	for _, t := range targets {
		wg.Go(func() { h.scrapeLoop(t, report) })
	}
	wg.Wait()
}
