// Package experiment assigns users to variants.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnknown is returned for experiments which are not defined.
var ErrUnknown = errors.New("experiment: unknown")

// Definition never changes after it was loaded.
type Definition struct {
	Name     string
	Variants []string
	Percent  int
}

type catalog map[string]*Definition

const shardCount = 16

type shard struct {
	mu     sync.RWMutex
	chosen map[string]string
}

// Source delivers definitions.
type Source func(ctx context.Context) ([]Definition, error)

// Override asks another service for a forced variant; it is slow.
type Override func(ctx context.Context, exp, user string) (string, error)

// Service answers which variant a user sees.
type Service struct {
	override Override
	defs     atomic.Pointer[catalog]
	shards   [shardCount]shard
	exposed  sync.Map // exp/user -> time.Time
	unique   atomic.Int64
	loadMu   sync.Mutex
}

// New returns a service without definitions.
func New(override Override) *Service {
	s := &Service{override: override}
	for i := range s.shards {
		s.shards[i].chosen = make(map[string]string)
	}
	s.defs.Store(&catalog{})
	return s
}

// Reload replaces all definitions.
func (s *Service) Reload(ctx context.Context, src Source) error {
	s.loadMu.Lock()
	defer s.loadMu.Unlock()
	defs, err := src(ctx)
	if err != nil {
		return fmt.Errorf("experiment: reload: %w", err)
	}
	next := maps.Clone(*s.defs.Load())
	for i := range defs {
		next[defs[i].Name] = &defs[i]
	}
	s.defs.Store(&next)
	return nil
}

func (s *Service) definition(exp string) (*Definition, error) {
	d, ok := (*s.defs.Load())[exp]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, exp)
	}
	return d, nil
}

func hash(key string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return h.Sum32()
}

func (sh *shard) get(key string) (string, bool) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	v, ok := sh.chosen[key]
	return v, ok
}

// settle stores v unless there is a choice already, and returns the choice.
func (sh *shard) settle(key, v string) (chosen string, stored bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if cur, ok := sh.chosen[key]; ok {
		return cur, false
	}
	sh.chosen[key] = v
	return v, true
}

func (s *Service) decide(ctx context.Context, d *Definition, user string) string {
	if v, err := s.override(ctx, d.Name, user); err == nil && v != "" {
		return v
	}
	h := hash(d.Name + "/" + user)
	if int(h%100) >= d.Percent || len(d.Variants) == 0 {
		return "control"
	}
	return d.Variants[h/100%uint32(len(d.Variants))]
}

// Variant returns what a user sees, the same at every call.
func (s *Service) Variant(ctx context.Context, exp, user string) (string, error) {
	d, err := s.definition(exp)
	if err != nil {
		return "", err
	}
	key := exp + "/" + user
	sh := &s.shards[hash(key)%shardCount]
	v, ok := sh.get(key)
	if !ok {
		v, _ = sh.settle(key, s.decide(ctx, d, user))
	}
	s.expose(key)
	return v, nil
}

func (s *Service) expose(key string) {
	if _, ok := s.exposed.Load(key); ok {
		return
	}
	if _, dup := s.exposed.LoadOrStore(key, time.Now()); !dup {
		s.unique.Add(1)
	}
}

// Exposed returns the number of users who saw anything.
func (s *Service) Exposed() int64 { return s.unique.Load() }

// Assigned returns the number of assignments; shards are counted one after another.
func (s *Service) Assigned() (n int) {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.RLock()
		n += len(sh.chosen)
		sh.mu.RUnlock()
	}
	return n
}
