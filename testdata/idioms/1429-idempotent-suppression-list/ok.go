package a

import (
	"bufio"
	"encoding/json"
	"log"
	"net/http"
	"strings"
	"sync"
)

// Table is durable storage with upsert semantics.
type Table interface {
	Upsert(key string) error
	Keys() ([]string, error)
}

// MemTable is the Table used when no database is configured.
type MemTable struct {
	mu   sync.Mutex
	rows map[string]struct{}
}

func NewMemTable() *MemTable { return &MemTable{rows: make(map[string]struct{})} }

func (t *MemTable) Upsert(key string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[key] = struct{}{}
	return nil
}

func (t *MemTable) Keys() ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.rows))
	for k := range t.rows {
		out = append(out, k)
	}
	return out, nil
}

// Suppressions are the addresses that no newsletter may be sent to.
// An address is never taken off the list.
type Suppressions struct {
	table Table

	mu    sync.RWMutex
	addrs map[string]struct{}
}

// Load reads the list from the table.
func Load(t Table) (*Suppressions, error) {
	keys, err := t.Keys()
	if err != nil {
		return nil, err
	}
	s := &Suppressions{table: t, addrs: make(map[string]struct{}, len(keys))}
	for _, k := range keys {
		s.addrs[k] = struct{}{}
	}
	return s, nil
}

func (s *Suppressions) Contains(addr string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.addrs[strings.ToLower(addr)]
	return ok
}

func (s *Suppressions) put(addr string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addrs[addr] = struct{}{}
}

// Add puts an address on the list. Known addresses cost no table access.
func (s *Suppressions) Add(addr string) error {
	addr = strings.ToLower(addr)
	if s.Contains(addr) {
		return nil
	}
	if err := s.table.Upsert(addr); err != nil {
		return err
	}
	s.put(addr)
	return nil
}

// bounce is the notice that the mail provider posts.
type bounce struct {
	Recipient string `json:"recipient"`
	Permanent bool   `json:"permanent"`
}

// ServeHTTP receives a batch of bounces, one JSON object a line.
func (s *Suppressions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sc := bufio.NewScanner(r.Body)
	for sc.Scan() {
		var b bounce
		if err := json.Unmarshal(sc.Bytes(), &b); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if !b.Permanent {
			continue
		}
		if err := s.Add(b.Recipient); err != nil {
			log.Printf("suppress %s: %v", b.Recipient, err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
