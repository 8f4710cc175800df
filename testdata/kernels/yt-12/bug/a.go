// Package rollout decides which users see a feature.
package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Rule switches a feature on for a part of the users.
type Rule struct {
	Percent int      `json:"percent"`
	Salt    string   `json:"salt"`
	Allow   []string `json:"allow"`
}

// ruleSet is never changed once it is published.
type ruleSet struct {
	rules map[string]Rule
	allow map[string]map[string]bool
}

func compile(rules map[string]Rule) *ruleSet {
	rs := &ruleSet{rules: rules, allow: make(map[string]map[string]bool)}
	for name, r := range rules {
		m := make(map[string]bool, len(r.Allow))
		for _, u := range r.Allow {
			m[u] = true
		}
		rs.allow[name] = m
	}
	return rs
}

func (rs *ruleSet) eval(feature, user string) bool {
	r, ok := rs.rules[feature]
	if !ok {
		return false
	}
	if rs.allow[feature][user] {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(r.Salt + "/" + user))
	return int(h.Sum32()%100) < r.Percent
}

type memoKey struct{ feature, user string }

// memo keeps decisions of one generation of the rules.
type memo struct {
	mu  sync.RWMutex
	gen uint64
	m   map[memoKey]bool
}

func (m *memo) get(gen uint64, k memoKey) (on, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.gen != gen {
		return false, false
	}
	on, ok = m.m[k]
	return on, ok
}

func (m *memo) put(gen uint64, k memoKey, on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if gen < m.gen {
		return
	}
	if gen > m.gen || m.m == nil {
		m.gen, m.m = gen, make(map[memoKey]bool)
	}
	m.m[k] = on
}

// Source delivers the rules, with an ETag.
type Source interface {
	Rules(ctx context.Context, etag string) (rules map[string]Rule, newTag string, err error)
}

type Store struct {
	src  Source
	memo memo
	gen  atomic.Uint64
	cur  atomic.Pointer[ruleSet]

	reload sync.Mutex
	etag   string
}

func NewStore(src Source) *Store {
	s := &Store{src: src}
	s.cur.Store(compile(nil))
	return s
}

// Enabled is called several times for each request.
func (s *Store) Enabled(feature, user string) bool {
	gen := s.gen.Load()
	k := memoKey{feature, user}
	if on, ok := s.memo.get(gen, k); ok {
		return on
	}
	on := s.cur.Load().eval(feature, user)
	s.memo.put(gen, k, on)
	return on
}

// apply makes the rules current.
func (s *Store) apply(rules map[string]Rule) {
	rs := compile(rules)
	s.gen.Add(1) // decisions made so far are void
	s.cur.Store(rs)
}

// Refresh asks the source for new rules.
func (s *Store) Refresh(ctx context.Context) error {
	s.reload.Lock()
	defer s.reload.Unlock()
	rules, tag, err := s.src.Rules(ctx, s.etag)
	if err != nil {
		return fmt.Errorf("rollout: refresh: %w", err)
	}
	if tag == s.etag {
		return nil
	}
	s.apply(rules)
	s.etag = tag
	return nil
}

func (s *Store) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if err := s.Refresh(ctx); err != nil {
			log.Print(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	out := make(map[string]bool)
	for _, f := range r.Form["feature"] {
		out[f] = s.Enabled(f, user)
	}
	_ = json.NewEncoder(w).Encode(out)
}
