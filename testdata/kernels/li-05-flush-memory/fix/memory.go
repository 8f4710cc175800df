package tiered

import (
	"sort"
	"sync"
)

// Timestamp is in milliseconds.
type Timestamp int64

func (t Timestamp) After(o Timestamp) bool { return t > o }

// Fingerprint identifies a series.
type Fingerprint string

// SamplePair is a value with its time.
type SamplePair struct {
	Timestamp Timestamp
	Value     float64
}

// Values are the samples of one series, in temporal order.
type Values []SamplePair

// Sample is a sample together with the series it belongs to.
type Sample struct {
	Fingerprint Fingerprint
	Timestamp   Timestamp
	Value       float64
}

type Samples []*Sample

// arrayStream holds the samples of one series in memory.
type arrayStream struct {
	sync.RWMutex

	fp     Fingerprint
	values Values
}

func newArrayStream(fp Fingerprint) *arrayStream {
	return &arrayStream{fp: fp, values: make(Values, 0, 240)}
}

func (s *arrayStream) add(v SamplePair) {
	s.Lock()
	defer s.Unlock()

	s.values = append(s.values, v)
}

func (s *arrayStream) clone() Values {
	s.RLock()
	defer s.RUnlock()

	clone := make(Values, len(s.values))
	copy(clone, s.values)

	return clone
}

func (s *arrayStream) getOlderThan(t Timestamp) Values {
	s.RLock()
	defer s.RUnlock()

	finder := func(i int) bool {
		return s.values[i].Timestamp.After(t)
	}

	i := sort.Search(len(s.values), finder)
	return s.values[:i]
}

func (s *arrayStream) evictOlderThan(t Timestamp) {
	s.Lock()
	defer s.Unlock()

	finder := func(i int) bool {
		return s.values[i].Timestamp.After(t)
	}

	i := sort.Search(len(s.values), finder)
	s.values = s.values[i:]
}

func (s *arrayStream) size() int {
	s.RLock()
	defer s.RUnlock()

	return len(s.values)
}

// memorySeriesStorage holds the recent samples of all series.
type memorySeriesStorage struct {
	sync.RWMutex

	now                 func() Timestamp
	fingerprintToSeries map[Fingerprint]*arrayStream
}

// NewMemorySeriesStorage returns an empty storage.
func NewMemorySeriesStorage(now func() Timestamp) *memorySeriesStorage {
	return &memorySeriesStorage{
		now:                 now,
		fingerprintToSeries: make(map[Fingerprint]*arrayStream),
	}
}

// AppendValue adds a value, it gets the present time.
func (s *memorySeriesStorage) AppendValue(fp Fingerprint, value float64) {
	s.Lock()
	defer s.Unlock()

	series, ok := s.fingerprintToSeries[fp]
	if !ok {
		series = newArrayStream(fp)
		s.fingerprintToSeries[fp] = series
	}
	series.add(SamplePair{Timestamp: s.now(), Value: value})
}

// Flush hands all samples that are not younger than the given time to the queue.
func (s *memorySeriesStorage) Flush(flushOlderThan Timestamp, queue chan<- Samples) {
	s.RLock()
	for _, stream := range s.fingerprintToSeries {
		toArchive := stream.getOlderThan(flushOlderThan)
		queued := make(Samples, 0, len(toArchive))
		// NOTE: This duplication will go away soon.
		for _, value := range toArchive {
			queued = append(queued, &Sample{
				Fingerprint: stream.fp,
				Timestamp:   value.Timestamp,
				Value:       value.Value,
			})
		}

		// BUG(all): this can deadlock if the queue is full, as we only ever clear
		// the queue after calling this method:
		// https://github.com/prometheus/prometheus/issues/275
		if len(queued) > 0 {
			queue <- queued
		}
	}
	s.RUnlock()
}

// Evict drops all samples that are not younger than the given time.
func (s *memorySeriesStorage) Evict(flushOlderThan Timestamp) {
	emptySeries := []Fingerprint{}

	s.RLock()
	for fingerprint, stream := range s.fingerprintToSeries {
		stream.evictOlderThan(flushOlderThan)
		if stream.size() == 0 {
			emptySeries = append(emptySeries, fingerprint)
		}
	}
	s.RUnlock()

	s.Lock()
	for _, fingerprint := range emptySeries {
		if series, ok := s.fingerprintToSeries[fingerprint]; ok && series.size() == 0 {
			delete(s.fingerprintToSeries, fingerprint)
		}
	}
	s.Unlock()
}

// CloneSamples returns the samples of a series that are in memory.
func (s *memorySeriesStorage) CloneSamples(fp Fingerprint) Values {
	s.RLock()
	defer s.RUnlock()

	series, ok := s.fingerprintToSeries[fp]
	if !ok {
		return nil
	}
	return series.clone()
}

// Fingerprints returns the series in memory.
func (s *memorySeriesStorage) Fingerprints() []Fingerprint {
	s.RLock()
	defer s.RUnlock()

	fps := make([]Fingerprint, 0, len(s.fingerprintToSeries))
	for fp := range s.fingerprintToSeries {
		fps = append(fps, fp)
	}
	return fps
}
