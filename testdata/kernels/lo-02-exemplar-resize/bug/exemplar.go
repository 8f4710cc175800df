package tsdb

import (
	"errors"
	"sync"
)

const noExemplar = -1

var (
	// ErrExemplarsDisabled is returned if the storage has no room at all.
	ErrExemplarsDisabled = errors.New("exemplar storage is disabled or max exemplars is less than or equal to 0")
	// ErrOutOfOrderExemplar is returned for an exemplar older than the last one.
	ErrOutOfOrderExemplar = errors.New("out of order exemplar")
)

// Exemplar is a sample with a trace.
type Exemplar struct {
	TraceID string
	Value   float64
	Ts      int64
}

// CircularExemplarStorage keeps the last exemplars of all series.
type CircularExemplarStorage struct {
	lock      sync.RWMutex
	exemplars []circularBufferEntry
	nextIndex int

	// Map of series labels as a string to index entry, which points to the first
	// and last exemplar for the series in the exemplars circular buffer.
	index map[string]*indexEntry
}

type indexEntry struct {
	oldest       int
	newest       int
	seriesLabels string
}

type circularBufferEntry struct {
	exemplar Exemplar
	next     int
	ref      *indexEntry
}

// NewCircularExemplarStorage creates a storage; it can be resized later.
func NewCircularExemplarStorage(length int) *CircularExemplarStorage {
	return &CircularExemplarStorage{
		exemplars: make([]circularBufferEntry, max(length, 0)),
		index:     make(map[string]*indexEntry),
	}
}

// ApplyConfig is called at every reload of the configuration, while the
// scrape loops append.
func (ce *CircularExemplarStorage) ApplyConfig(maxExemplars int) {
	ce.Resize(maxExemplars)
}

// size returns the number of slots.
func (ce *CircularExemplarStorage) size() int {
	ce.lock.RLock()
	defer ce.lock.RUnlock()
	return len(ce.exemplars)
}

// Resize changes the size of exemplar buffer by allocating a new buffer and
// migrating data to it. Shrinking discards the oldest data.
func (ce *CircularExemplarStorage) Resize(l int) int {
	// Accept negative values as just 0 size.
	l = max(l, 0)

	ce.lock.Lock()
	defer ce.lock.Unlock()

	if l == len(ce.exemplars) {
		return 0
	}

	oldBuffer := ce.exemplars
	oldNextIndex := ce.nextIndex

	ce.exemplars = make([]circularBufferEntry, l)
	ce.index = make(map[string]*indexEntry)
	ce.nextIndex = 0

	count := min(l, len(oldBuffer))
	migrated := 0
	if count > 0 {
		startIndex := (oldNextIndex - count + len(oldBuffer)) % len(oldBuffer)
		for i := range count {
			e := oldBuffer[(startIndex+i)%len(oldBuffer)]
			if e.ref != nil {
				ce.addLocked(e.ref.seriesLabels, e.exemplar)
				migrated++
			}
		}
	}
	return migrated
}

// AddExemplar is called by the scrape loops.
func (ce *CircularExemplarStorage) AddExemplar(seriesLabels string, e Exemplar) error {
	if ce.size() == 0 {
		return ErrExemplarsDisabled
	}

	ce.lock.Lock()
	defer ce.lock.Unlock()

	if idx, ok := ce.index[seriesLabels]; ok {
		newest := ce.exemplars[idx.newest].exemplar
		if newest == e {
			// Duplicate exemplar, noop.
			return nil
		}
		if e.Ts < newest.Ts {
			return ErrOutOfOrderExemplar
		}
	}
	ce.addLocked(seriesLabels, e)
	return nil
}

// addLocked appends to the buffer, which is not empty.
func (ce *CircularExemplarStorage) addLocked(seriesLabels string, e Exemplar) {
	if prev := &ce.exemplars[ce.nextIndex]; prev.ref != nil {
		// There exists an exemplar already on this ce.nextIndex entry,
		// drop it, to make place for others.
		if prev.next == noExemplar {
			// Last item for this series, remove index entry.
			delete(ce.index, prev.ref.seriesLabels)
		} else {
			prev.ref.oldest = prev.next
		}
	}
	idx, ok := ce.index[seriesLabels]
	if !ok {
		idx = &indexEntry{oldest: ce.nextIndex, seriesLabels: seriesLabels}
		ce.index[seriesLabels] = idx
	} else {
		ce.exemplars[idx.newest].next = ce.nextIndex
	}
	ce.exemplars[ce.nextIndex] = circularBufferEntry{exemplar: e, next: noExemplar, ref: idx}
	idx.newest = ce.nextIndex

	ce.nextIndex = (ce.nextIndex + 1) % len(ce.exemplars)
}

// Select returns the exemplars of a series in a range of time.
func (ce *CircularExemplarStorage) Select(seriesLabels string, start, end int64) []Exemplar {
	ce.lock.RLock()
	defer ce.lock.RUnlock()

	idx, ok := ce.index[seriesLabels]
	if !ok {
		return nil
	}
	var ret []Exemplar
	for i := idx.oldest; i != noExemplar; i = ce.exemplars[i].next {
		if e := ce.exemplars[i].exemplar; e.Ts >= start && e.Ts <= end {
			ret = append(ret, e)
		}
	}
	return ret
}
