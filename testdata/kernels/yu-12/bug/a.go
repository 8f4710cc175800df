package a

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
)

const shardCount = 16

type shard[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

// Sharded is a string map split over several locks.
type Sharded[V any] struct {
	shards [shardCount]shard[V]
}

func NewSharded[V any]() *Sharded[V] {
	s := new(Sharded[V])
	for i := range s.shards {
		s.shards[i].m = make(map[string]V)
	}
	return s
}

func (s *Sharded[V]) shard(key string) *shard[V] {
	h := fnv.New32a()
	h.Write([]byte(key))
	return &s.shards[h.Sum32()%shardCount]
}

func (s *Sharded[V]) Get(key string) (V, bool) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	v, ok := sh.m[key]
	return v, ok
}

func (s *Sharded[V]) Put(key string, v V) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m[key] = v
}

// Update replaces the value under the lock of its shard.
func (s *Sharded[V]) Update(key string, fn func(old V, ok bool) V) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	old, ok := sh.m[key]
	sh.m[key] = fn(old, ok)
}

type Reading struct {
	Meter string `json:"meter"`
	Seq   uint64 `json:"seq"`
	Wh    uint64 `json:"wh"`
}

type meter struct {
	lastSeq uint64
	lastWh  uint64
	missing uint64 // readings skipped so far
	late    uint64 // readings that came after a younger one
}

func (m meter) with(r Reading) meter {
	switch {
	case r.Seq > m.lastSeq:
		m.missing += r.Seq - m.lastSeq - 1
		m.lastSeq, m.lastWh = r.Seq, r.Wh
	case r.Seq < m.lastSeq && m.missing > 0:
		m.missing--
		m.late++
	}
	return m
}

// Ingest receives the uploads of smart meters.
type Ingest struct {
	meters *Sharded[meter]
}

func NewIngest() *Ingest {
	return &Ingest{meters: NewSharded[meter]()}
}

// Upload takes a reading and returns the number of readings still missing.
func (in *Ingest) Upload(r Reading) (uint64, error) {
	if r.Meter == "" || r.Seq == 0 {
		return 0, fmt.Errorf("ingest: malformed reading %+v", r)
	}
	m, ok := in.meters.Get(r.Meter)
	if !ok {
		m.lastSeq = r.Seq - 1
	}
	m = m.with(r)
	in.meters.Put(r.Meter, m)
	return m.missing, nil
}

// Replace starts counting anew after the device was exchanged.
func (in *Ingest) Replace(id string) {
	in.meters.Update(id, func(old meter, _ bool) meter {
		return meter{lastWh: old.lastWh}
	})
}

func (in *Ingest) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var r Reading
	if err := json.NewDecoder(req.Body).Decode(&r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	missing, err := in.Upload(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	fmt.Fprintln(w, missing)
}
