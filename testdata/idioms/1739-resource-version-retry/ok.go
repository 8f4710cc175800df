package a

import (
	"errors"
	"sync"
	"time"
)

var (
	errConflict = errors.New("the object has been modified; try again")
	errNotFound = errors.New("not found")
	errExists   = errors.New("already exists")
)

// ConfigMap is an object of the API. ResourceVersion is set by the server.
type ConfigMap struct {
	Name            string
	ResourceVersion uint64
	Holder          string
	Renewed         time.Time
}

// apiServer stores objects; copies go in and out.
type apiServer struct {
	mu      sync.Mutex
	version uint64
	objects map[string]ConfigMap
}

func newAPIServer() *apiServer {
	return &apiServer{objects: make(map[string]ConfigMap)}
}

func (s *apiServer) Get(name string) (ConfigMap, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[name]
	if !ok {
		return ConfigMap{}, errNotFound
	}
	return o, nil
}

// store gives the object its new version. The caller holds s.mu.
func (s *apiServer) store(o ConfigMap) ConfigMap {
	s.version++
	o.ResourceVersion = s.version
	s.objects[o.Name] = o
	return o
}

func (s *apiServer) Create(o ConfigMap) (ConfigMap, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.objects[o.Name]; ok {
		return ConfigMap{}, errExists
	}
	return s.store(o), nil
}

// Update replaces the object if it is the one the caller has read.
func (s *apiServer) Update(o ConfigMap) (ConfigMap, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur, ok := s.objects[o.Name]
	if !ok {
		return ConfigMap{}, errNotFound
	}
	if cur.ResourceVersion != o.ResourceVersion {
		return ConfigMap{}, errConflict
	}
	return s.store(o), nil
}

// elector competes for a lock object.
type elector struct {
	api      *apiServer
	name     string
	identity string
	duration time.Duration
	now      func() time.Time
}

// TryAcquireOrRenew takes the lock if it is free or over, and renews it if it
// is ours. False means that another one has it.
func (e *elector) TryAcquireOrRenew() (bool, error) {
	now := e.now()
	lock, err := e.api.Get(e.name)
	if errors.Is(err, errNotFound) {
		_, err = e.api.Create(ConfigMap{Name: e.name, Holder: e.identity, Renewed: now})
		if errors.Is(err, errExists) {
			return false, nil
		}
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	if lock.Holder != "" && lock.Holder != e.identity && lock.Renewed.Add(e.duration).After(now) {
		return false, nil
	}
	lock.Holder, lock.Renewed = e.identity, now
	_, err = e.api.Update(lock)
	if errors.Is(err, errConflict) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock up, if we have it.
func (e *elector) Release() error {
	return retryOnConflict(5, func() error {
		lock, err := e.api.Get(e.name)
		if err != nil || lock.Holder != e.identity {
			return err
		}
		lock.Holder = ""
		_, err = e.api.Update(lock)
		return err
	})
}

// retryOnConflict runs fn, which reads and updates, until it meets no
// conflict.
func retryOnConflict(attempts int, fn func() error) error {
	var err error
	for range attempts {
		if err = fn(); !errors.Is(err, errConflict) {
			return err
		}
	}
	return err
}
