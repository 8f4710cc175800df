// Package shadow keeps the device shadows of an IoT fleet: the state a device
// last reported and the state the operator wants it to have.
package shadow

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync"
)

// Table is a concurrency-safe map of values.
type Table[K comparable, V any] struct {
	mu   sync.RWMutex
	rows map[K]V
}

func NewTable[K comparable, V any]() *Table[K, V] {
	return &Table[K, V]{rows: make(map[K]V)}
}

// Get returns the row for k.
func (t *Table[K, V]) Get(k K) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.rows[k]
	return v, ok
}

// Update replaces the row for k by the result of change.
func (t *Table[K, V]) Update(k K, change func(V) V) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := change(t.rows[k])
	t.rows[k] = v
	return v
}

// Shadow is treated as immutable once it is in the table.
type Shadow struct {
	Reported map[string]any `json:"reported"`
	Desired  map[string]any `json:"desired"`
	Version  uint64         `json:"version"`
}

func (s Shadow) withReported(patch map[string]any) Shadow {
	s.Reported = merge(s.Reported, patch)
	s.Version++
	return s
}

func (s Shadow) withDesired(patch map[string]any) Shadow {
	s.Desired = merge(s.Desired, patch)
	s.Version++
	return s
}

// merge returns a new map; a nil value removes the key.
func merge(base, patch map[string]any) map[string]any {
	out := make(map[string]any, len(base)+len(patch))
	maps.Copy(out, base)
	for k, v := range patch {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// Service receives device telemetry and operator commands.
type Service struct {
	shadows *Table[string, Shadow]
}

func NewService() *Service {
	return &Service{shadows: NewTable[string, Shadow]()}
}

// OnTelemetry is called by the MQTT listener, one goroutine per connection.
func (s *Service) OnTelemetry(device string, payload []byte) error {
	var patch map[string]any
	if err := json.Unmarshal(payload, &patch); err != nil {
		return err
	}
	s.apply(device, func(sh Shadow) Shadow { return sh.withReported(patch) })
	return nil
}

// SetDesired handles PATCH /devices/{id}/desired.
func (s *Service) SetDesired(w http.ResponseWriter, r *http.Request) {
	var patch map[string]any
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sh := s.apply(r.PathValue("id"), func(sh Shadow) Shadow { return sh.withDesired(patch) })
	_ = json.NewEncoder(w).Encode(sh)
}

// Show handles GET /devices/{id}.
func (s *Service) Show(w http.ResponseWriter, r *http.Request) {
	sh, ok := s.shadows.Get(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(sh)
}

func (s *Service) apply(device string, change func(Shadow) Shadow) Shadow {
	return s.shadows.Update(device, change)
}
