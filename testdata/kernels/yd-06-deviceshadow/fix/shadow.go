// Package shadow keeps the digital twin of every IoT device: what the device
// reported last and what operators want it to be.
package shadow

import (
	"encoding/json"
	"maps"
	"net/http"
)

// Doc is the shadow of one device.
type Doc struct {
	Version  int64             `json:"version"`
	Reported map[string]string `json:"reported"`
	Desired  map[string]string `json:"desired"`
}

func (d Doc) clone() Doc {
	return Doc{Version: d.Version, Reported: maps.Clone(d.Reported), Desired: maps.Clone(d.Desired)}
}

// Store holds shadows. Implementations are safe for concurrent use, and hand
// out and keep private copies only. Update applies change, which must not use
// the store, to the device's shadow while nobody else changes it, and returns
// the outcome.
type Store interface {
	Get(device string) (Doc, bool)
	Update(device string, change func(*Doc)) Doc
}

// MemStore is a Store in memory.
type MemStore struct {
	sem  chan struct{} // holds a token while docs is in use
	docs map[string]Doc
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore {
	return &MemStore{sem: make(chan struct{}, 1), docs: make(map[string]Doc)}
}

// Get returns a copy of the device's shadow.
func (s *MemStore) Get(device string) (Doc, bool) {
	s.sem <- struct{}{}
	defer func() { <-s.sem }()
	d, ok := s.docs[device]
	return d.clone(), ok
}

// Update changes the device's shadow.
func (s *MemStore) Update(device string, change func(*Doc)) Doc {
	s.sem <- struct{}{}
	defer func() { <-s.sem }()
	doc := s.docs[device].clone()
	change(&doc)
	s.docs[device] = doc.clone()
	return doc
}

// Service is the shadow API. Devices and operators use it concurrently.
type Service struct {
	store Store
}

// NewService returns a service on store.
func NewService(store Store) *Service {
	return &Service{store: store}
}

// Report merges values that the device sent.
func (s *Service) Report(device string, values map[string]string) Doc {
	return s.modify(device, func(d *Doc) { merge(&d.Reported, values) })
}

// Desire merges values that an operator wants. An empty value withdraws the
// wish.
func (s *Service) Desire(device string, values map[string]string) Doc {
	return s.modify(device, func(d *Doc) { merge(&d.Desired, values) })
}

// modify applies change to the device's shadow, which it creates if need be,
// and returns the outcome.
func (s *Service) modify(device string, change func(*Doc)) Doc {
	return s.store.Update(device, func(d *Doc) {
		change(d)
		d.Version++
	})
}

func merge(dst *map[string]string, values map[string]string) {
	if *dst == nil {
		*dst = make(map[string]string, len(values))
	}
	for k, v := range values {
		if v == "" {
			delete(*dst, k)
			continue
		}
		(*dst)[k] = v
	}
}

// Delta returns the desired values that the device has not reported yet.
func (s *Service) Delta(device string) map[string]string {
	doc, ok := s.store.Get(device)
	if !ok {
		return nil
	}
	delta := make(map[string]string)
	for k, v := range doc.Desired {
		if doc.Reported[k] != v {
			delta[k] = v
		}
	}
	return delta
}

// Routes returns the HTTP interface.
func (s *Service) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /devices/{id}/reported", s.handle(s.Report))
	mux.HandleFunc("POST /devices/{id}/desired", s.handle(s.Desire))
	mux.HandleFunc("GET /devices/{id}/delta", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(s.Delta(r.PathValue("id")))
	})
	return mux
}

func (s *Service) handle(apply func(string, map[string]string) Doc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var values map[string]string
		if err := json.NewDecoder(r.Body).Decode(&values); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(apply(r.PathValue("id"), values))
	}
}
