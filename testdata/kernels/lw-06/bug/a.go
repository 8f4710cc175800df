package agentidx

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errUnknownRef = errors.New("unknown series reference")

type refID uint64

type exemplarRec struct {
	traceID string
	ts      int64
}

type streamSeries struct {
	id   refID
	name string
}

const stripes = 32

// stripedIndex finds series by the hash of their name and by id. A stripe lock
// guards the maps with the same position.
type stripedIndex struct {
	locks     [stripes]sync.RWMutex
	names     [stripes]map[uint64][]*streamSeries
	ids       [stripes]map[refID]*streamSeries
	exemplars [stripes]map[refID]exemplarRec
}

func newStripedIndex() *stripedIndex {
	x := &stripedIndex{}
	for i := range stripes {
		x.names[i] = make(map[uint64][]*streamSeries)
		x.ids[i] = make(map[refID]*streamSeries)
		x.exemplars[i] = make(map[refID]exemplarRec)
	}
	return x
}

func nameHash(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

func nameStripe(hash uint64) int { return int(hash % stripes) }

func idStripe(id refID) int { return int(id % stripes) }

func (x *stripedIndex) findLocked(i int, hash uint64, name string) *streamSeries {
	for _, s := range x.names[i][hash] {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (x *stripedIndex) byName(hash uint64, name string) *streamSeries {
	i := nameStripe(hash)
	x.locks[i].RLock()
	defer x.locks[i].RUnlock()
	return x.findLocked(i, hash, name)
}

func (x *stripedIndex) byID(id refID) *streamSeries {
	i := idStripe(id)
	x.locks[i].RLock()
	defer x.locks[i].RUnlock()
	return x.ids[i][id]
}

// addUnlessPresent inserts s for the given hash if no series with the same
// name exists. It returns the series to use and whether it was inserted.
// Two stripe locks are never held at once.
func (x *stripedIndex) addUnlessPresent(hash uint64, s *streamSeries) (*streamSeries, bool) {
	i := nameStripe(hash)
	x.locks[i].Lock()
	if prev := x.findLocked(i, hash, s.name); prev != nil {
		x.locks[i].Unlock()
		return prev, false
	}
	x.names[i][hash] = append(x.names[i][hash], s)
	x.locks[i].Unlock()

	j := idStripe(s.id)
	x.locks[j].Lock()
	x.ids[j][s.id] = s
	x.locks[j].Unlock()
	return s, true
}

func (x *stripedIndex) setExemplar(id refID, e exemplarRec) bool {
	i := idStripe(id)
	x.locks[i].Lock()
	defer x.locks[i].Unlock()
	if x.ids[i][id] == nil {
		return false
	}
	x.exemplars[i][id] = e
	return true
}

// Ingester accepts series from many scrape loops at once.
type Ingester struct {
	index  *stripedIndex
	lastID atomic.Uint64
}

// NewIngester returns an empty ingester.
func NewIngester() *Ingester { return &Ingester{index: newStripedIndex()} }

// Register returns the reference of the named series.
func (in *Ingester) Register(name string) refID {
	hash := nameHash(name)
	if s := in.index.byName(hash, name); s != nil {
		return s.id
	}
	id := refID(in.lastID.Add(1))
	s, _ := in.index.addUnlessPresent(hash, &streamSeries{id: id, name: name})
	return s.id
}

// Name resolves a reference.
func (in *Ingester) Name(id refID) (string, error) {
	s := in.index.byID(id)
	if s == nil {
		return "", errUnknownRef
	}
	return s.name, nil
}

// AddExemplar attaches an exemplar to a registered series.
func (in *Ingester) AddExemplar(id refID, traceID string, ts int64) error {
	if !in.index.setExemplar(id, exemplarRec{traceID: traceID, ts: ts}) {
		return errUnknownRef
	}
	return nil
}
