package a

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"
)

var ErrUnknownDevice = errors.New("shadow: unknown device")

type Shadow struct {
	DeviceID string         `json:"device"`
	Version  int64          `json:"version"`
	Reported map[string]any `json:"reported"`
	Desired  map[string]any `json:"desired"`
	Updated  time.Time      `json:"updated"`
}

func (s Shadow) clone() Shadow {
	s.Reported = maps.Clone(s.Reported)
	s.Desired = maps.Clone(s.Desired)
	return s
}

type Store struct {
	sync.RWMutex
	docs map[string]Shadow
}

func NewStore() *Store { return &Store{docs: map[string]Shadow{}} }

func (s *Store) Provision(id string) {
	s.Lock()
	defer s.Unlock()
	if _, ok := s.docs[id]; ok {
		return
	}
	s.docs[id] = Shadow{DeviceID: id, Reported: map[string]any{}, Desired: map[string]any{}}
}

func (s *Store) Get(id string) (Shadow, error) {
	s.RLock()
	defer s.RUnlock()
	doc, ok := s.docs[id]
	if !ok {
		return Shadow{}, ErrUnknownDevice
	}
	return doc.clone(), nil
}

func (s *Store) edit(id string, fn func(*Shadow)) (Shadow, error) {
	s.Lock()
	defer s.Unlock()
	old, ok := s.docs[id]
	if !ok {
		return Shadow{}, ErrUnknownDevice
	}
	doc := old.clone()
	fn(&doc)
	doc.Version++
	doc.Updated = time.Now()
	s.docs[id] = doc
	return doc.clone(), nil
}

func merge(dst, patch map[string]any) {
	for k, v := range patch {
		if v == nil {
			delete(dst, k)
			continue
		}
		dst[k] = v
	}
}

type Service struct {
	store *Store
}

func NewService(st *Store) *Service { return &Service{store: st} }

// patch merges a partial document into one side of the shadow.
func (svc *Service) patch(id string, side func(*Shadow) map[string]any, p map[string]any) (Shadow, error) {
	return svc.store.edit(id, func(doc *Shadow) {
		merge(side(doc), p)
	})
}

// OnTelemetry is called by the broker, one goroutine per connection.
func (svc *Service) OnTelemetry(id string, payload []byte) error {
	var p map[string]any
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	_, err := svc.patch(id, func(d *Shadow) map[string]any { return d.Reported }, p)
	return err
}

// ServeHTTP handles PATCH /things/{id}/desired.
func (svc *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p map[string]any
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	doc, err := svc.patch(r.PathValue("id"), func(d *Shadow) map[string]any { return d.Desired }, p)
	if errors.Is(err, ErrUnknownDevice) {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(doc)
}
