package blob

import "sync"

type Extent struct{ Off, Len int }

type Store interface {
	Has(digest string) bool
	PutIfAbsent(digest string, data []byte) (Extent, bool)
}

type logStore struct {
	mu    sync.RWMutex
	data  []byte
	index map[string]Extent
	live  int
}

func NewLogStore() Store { return &logStore{index: make(map[string]Extent)} }

func (s *logStore) Has(digest string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.index[digest]
	return ok
}

func (s *logStore) PutIfAbsent(digest string, data []byte) (Extent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.index[digest]; ok {
		return e, false
	}
	e := Extent{Off: len(s.data), Len: len(data)}
	s.data = append(s.data, data...)
	s.index[digest] = e
	s.live += e.Len
	return e, true
}

type nullStore struct{}

func NewNullStore() Store { return nullStore{} }

func (nullStore) Has(string) bool                           { return true }
func (nullStore) PutIfAbsent(string, []byte) (Extent, bool) { return Extent{}, false }
